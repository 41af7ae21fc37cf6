import { expect, test } from "bun:test";
import { describeProgram } from "../../../scripts/release/program.ts";
import { programOf, TARGETS, targetName } from "../../../scripts/release/targets.ts";
import { elf, fakeProgram, sparse } from "../../programs.ts";

const TABLE: [string, Uint8Array][] = [
  ["ELF x64 glibc", elf(0x3e, "/lib64/ld-linux-x86-64.so.2")],
  ["ELF arm64 musl", elf(0xb7, "/lib/ld-musl-aarch64.so.1")],
  ["Mach-O arm64", sparse({ 0: [0xcf, 0xfa, 0xed, 0xfe], 4: [0x0c, 0, 0, 1] })],
  ["PE x64", sparse({ 0: [0x4d, 0x5a], 60: [128], 128: [0x50, 0x45, 0, 0, 0x64, 0x86] })],
  ["a program that is cut off", sparse({ 0: [0x4d, 0x5a], 60: [250, 255] })],
  ["no program", new TextEncoder().encode("#!/bin/sh\n".repeat(10))],
  ["no program", new Uint8Array(3)],
];
for (const [name, program] of TABLE)
  test(`describeProgram: ${name}`, () => expect(describeProgram(program)).toBe(name));

test("describeProgram knows the program that runs this test", async () => {
  const expected = { linux: "ELF", darwin: "Mach-O", win32: "PE" }[process.platform as "linux"];
  expect(describeProgram(await Bun.file(process.execPath).bytes())).toStartWith(`${expected} ${process.arch}`);
});

for (const target of TARGETS)
  test(`programOf ${targetName(target)}`, () => expect(describeProgram(fakeProgram(target))).toBe(programOf(target)));
