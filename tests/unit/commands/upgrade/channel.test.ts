import { expect, test } from "bun:test";
import { type Channel, channelOf } from "../../../../src/commands/upgrade/channel.ts";

const RECEIPT = "channel script\nversion 0.1.0\n";
const brew: Channel = { kind: "brew" };
const binary: Channel = { kind: "binary" };
const script = (prefix: string): Channel => ({ kind: "script", prefix });

const TABLE: [self: string, receipts: Record<string, string>, expected: Channel][] = [
  ["/opt/homebrew/Cellar/ccc/0.1.0/bin/ccc", {}, brew],
  ["/home/linuxbrew/.linuxbrew/Cellar/ccc/0.1.0/bin/ccc", {}, brew],
  ["/usr/local/Cellar/ccc/0.1.0/bin/ccc", { "/usr/local/share/ccc/receipt": RECEIPT }, brew],
  ["/opt/homebrew/Caskroom/ccc/0.1.0/ccc", {}, brew],
  ["/opt/homebrew/Cellar/other/0.1.0/bin/ccc", {}, binary],
  ["/usr/local/bin/ccc", { "/usr/local/share/ccc/receipt": RECEIPT }, script("/usr/local")],
  ["/home/u/my tools/bin/ccc", { "/home/u/my tools/share/ccc/receipt": RECEIPT }, script("/home/u/my tools")],
  ["/bin/ccc", { "/share/ccc/receipt": RECEIPT }, script("/")],
  ["/usr/local/bin/ccc", {}, binary],
  ["/usr/local/bin/ccc", { "/usr/local/share/ccc/receipt": "" }, binary],
  ["/usr/local/bin/ccc", { "/usr/local/share/ccc/receipt": "channel scripts\n" }, binary],
  ["/usr/local/bin/ccc", { "/usr/local/share/ccc/receipt": "channel deb\nversion 1\n" }, binary],
  ["/usr/local/bin/ccc-next", { "/usr/local/share/ccc/receipt": RECEIPT }, binary],
  ["/usr/local/sbin/ccc", { "/usr/local/share/ccc/receipt": RECEIPT }, binary],
  ["/ccc", { "/share/ccc/receipt": RECEIPT }, binary],
];
test.each(TABLE)("%s %j", (self, receipts, expected) => {
  expect(channelOf(self, "linux", (path) => receipts[path])).toEqual(expected);
});

test("on Windows", () => {
  const read = (path: string) => (path === "C:\\Apps\\ccc\\share\\ccc\\receipt" ? RECEIPT : undefined);
  expect(channelOf("C:\\Apps\\ccc\\bin\\ccc.exe", "win32", read)).toEqual(script("C:\\Apps\\ccc"));
  expect(channelOf("C:\\Apps\\bin\\ccc.exe", "win32", read)).toEqual(binary);
});
