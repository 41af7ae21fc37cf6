import { describe, expect, test } from "bun:test";
import { describeProgram, isSigned, signAdHoc } from "../../../scripts/release/program.ts";
import { programOf, TARGETS, targetName } from "../../../scripts/release/targets.ts";
import { elf, fakeProgram, machO, sparse } from "../../programs.ts";

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

const UNSIGNED_SIZE = 0x2100;
const signed = signAdHoc(machO(7));
const changed = (offset: number) => signed.map((byte, index) => (index === offset ? byte ^ 1 : byte));

describe("signAdHoc", () => {
  test("adds three hashes, and updates the load commands", () => {
    const view = new DataView(signed.buffer);
    const size = 20 + 88 + 4 + 3 * 32;
    expect(signed.length).toBe(UNSIGNED_SIZE + size);
    expect(view.getUint32(176 + 12, true)).toBe(size);
    expect(view.getBigUint64(104 + 48, true)).toBe(BigInt(signed.length - 0x1000));
    expect(view.getBigUint64(104 + 32, true)).toBe(0x4000n);
  });
  test("what is signed is as it was, and signing again changes nothing", () => {
    expect(signed.subarray(0x1000, UNSIGNED_SIZE)).toEqual(machO(7).subarray(0x1000));
    expect(signAdHoc(signed)).toEqual(signed);
  });
  test("the last, partial page is hashed", () => {
    const sum = new Bun.CryptoHasher("sha256").update(signed.subarray(0x2000, UNSIGNED_SIZE)).digest();
    expect(signed.subarray(-32)).toEqual(new Uint8Array(sum));
  });
  test("refuses a program without room for a signature", () => {
    expect(() => signAdHoc(sparse({ 0: [0xcf, 0xfa, 0xed, 0xfe] }))).toThrow("no room for a signature");
  });
});

describe("isSigned", () => {
  const table: [name: string, program: Uint8Array<ArrayBuffer>, expected: boolean][] = [
    ["signed", signed, true],
    ["never signed", machO(7), false],
    ["a byte of a load command changed", changed(20), false],
    ["a byte of the first page changed", changed(0x300), false],
    ["the last byte that is signed changed", changed(UNSIGNED_SIZE - 1), false],
    ["a hash changed", changed(signed.length - 1), false],
    ["a signature over less than all", changed(UNSIGNED_SIZE + 20 + 35), false],
    ["a place for the directory outside of the file", changed(UNSIGNED_SIZE + 16), false],
    ["cut off in the hashes", signed.slice(0, -1), false],
    ["cut off in the load commands", signed.slice(0, 150), false],
    ["no place for one", sparse({}), false],
  ];
  for (const [name, program, expected] of table) test(name, () => expect(isSigned(program)).toBe(expected));
});
