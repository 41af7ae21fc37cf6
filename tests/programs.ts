import type { Target } from "../scripts/release/targets.ts";

/** The first bytes of a program for a target: enough to be taken for one. */
export function fakeProgram({ os, arch, libc }: Target): Uint8Array<ArrayBuffer> {
  const isX64 = arch === "x64";
  if (os === "linux") return elf(isX64 ? 0x3e : 0xb7, libc === "musl" ? "/lib/ld-musl-any.so.1" : "/lib/ld-linux.so.2");
  if (os === "darwin") return sparse({ 0: [0xcf, 0xfa, 0xed, 0xfe], 4: [isX64 ? 0x07 : 0x0c, 0, 0, 1] });
  return sparse({ 0: [0x4d, 0x5a], 60: [128], 128: [0x50, 0x45, 0, 0, 0x64, isX64 ? 0x86 : 0xaa] });
}

export function elf(machine: number, loader: string): Uint8Array<ArrayBuffer> {
  return sparse({
    0: [0x7f, 0x45, 0x4c, 0x46],
    18: [machine, 0],
    32: [64],
    54: [56, 0, 1, 0],
    64: [3],
    72: [128],
    96: [loader.length],
    128: [...new TextEncoder().encode(loader)],
  });
}

/** Zeros, but for what stands at these places. */
export function sparse(parts: Readonly<Record<number, readonly number[]>>): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(256);
  for (const [offset, values] of Object.entries(parts)) all.set(values, Number(offset));
  return all;
}
