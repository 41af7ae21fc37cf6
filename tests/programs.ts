import { signAdHoc } from "../scripts/release/program.ts";
import type { Target } from "../scripts/release/targets.ts";

/** The first bytes of a program for a target: enough to be recognized as one. */
export function fakeProgram({ os, arch, libc }: Target): Uint8Array<ArrayBuffer> {
  const isX64 = arch === "x64";
  if (os === "linux") return elf(isX64 ? 0x3e : 0xb7, libc === "musl" ? "/lib/ld-musl-any.so.1" : "/lib/ld-linux.so.2");
  if (os === "darwin") return signAdHoc(machO(isX64 ? 0x07 : 0x0c));
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

/** Three load commands and a bit more than two pages, followed by room for a signature. */
export function machO(cpu: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(0x2100);
  const write = (at: number, words: readonly number[]) => {
    for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, at + index * 4);
  };
  const [text, linkedit, signature, end] = [32, 104, 176, 192];
  write(0, [0xfeedfacf, 0x01000000 | cpu, 0, 2, 3, end - text]);
  for (const [at, name] of [
    [text, "__TEXT"],
    [linkedit, "__LINKEDIT"],
  ] as const) {
    write(at, [0x19, 72]);
    bytes.write(name, at + 8);
  }
  bytes.writeBigUInt64LE(0x1000n, text + 48);
  bytes.writeBigUInt64LE(0x1000n, linkedit + 40);
  write(signature, [0x1d, 16, 0x2100, 0]);
  return new Uint8Array(bytes);
}

/** Zeros, except for these values at these offsets. */
export function sparse(parts: Readonly<Record<number, readonly number[]>>): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(256);
  for (const [offset, values] of Object.entries(parts)) all.set(values, Number(offset));
  return all;
}
