/** What kind of program a file is, as `file` would say, and whether it is truncated. */
export function describeProgram(bytes: Uint8Array): string {
  try {
    return describe(bytes);
  } catch (error) {
    // Its headers point past the end.
    if (error instanceof RangeError) return "a program that is cut off";
    throw error;
  }
}

function describe(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 64) return "no program";
  if (view.getUint32(0) === 0x7f454c46) return describeElf(bytes, view);
  if (view.getUint32(0, true) === 0xfeedfacf) return `Mach-O ${MACH_CPU[view.getUint32(4, true)] ?? "other"}`;
  if (view.getUint16(0) === 0x4d5a) return describePe(view);
  return "no program";
}

const ELF_CPU: Record<number, string> = { 62: "x64", 183: "arm64" };
const MACH_CPU: Record<number, string> = { 16777223: "x64", 16777228: "arm64" };
const PE_CPU: Record<number, string> = { 34404: "x64", 43620: "arm64" };
const ELF_INTERPRETER = 3;
/** Size of an entry in the section table. */
const PE_SECTION = 40;

/** 64-bit, little-endian. The name of the loader shows the C library. */
function describeElf(bytes: Uint8Array, view: DataView): string {
  const headers = Number(view.getBigUint64(32, true));
  const size = view.getUint16(54, true);
  const count = view.getUint16(56, true);
  const sections = Number(view.getBigUint64(40, true)) + view.getUint16(58, true) * view.getUint16(60, true);
  if (sections > bytes.length) return "a program that is cut off";
  let libc = "static";
  for (let index = 0; index < count; index++) {
    const header = headers + index * size;
    if (view.getUint32(header, true) !== ELF_INTERPRETER) continue;
    const offset = Number(view.getBigUint64(header + 8, true));
    const length = Number(view.getBigUint64(header + 32, true));
    const loader = new TextDecoder().decode(bytes.subarray(offset, offset + length));
    libc = loader.includes("musl") ? "musl" : "glibc";
  }
  return `ELF ${ELF_CPU[view.getUint16(18, true)] ?? "other"} ${libc}`;
}

function describePe(view: DataView): string {
  const header = view.getUint32(60, true);
  if (view.getUint32(header) !== 0x50450000) return "no program";
  const sections = header + 24 + view.getUint16(header + 20, true);
  for (let index = 0; index < view.getUint16(header + 6, true); index++) {
    const section = sections + index * PE_SECTION;
    const end = view.getUint32(section + 16, true) + view.getUint32(section + 20, true);
    if (end > view.byteLength) return "a program that is cut off";
  }
  return `PE ${PE_CPU[view.getUint16(header + 4, true)] ?? "other"}`;
}
