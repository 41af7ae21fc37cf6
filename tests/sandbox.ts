/**
 * Whether Claude Code's own sandbox works on this machine; if not, why. Run as a program, it first installs what that needs,
 * where it may, and says in one line which tests are left out.
 */

const PACKAGES = ["bubblewrap", "socat"];
const NAMESPACES = "bwrap --unshare-user --unshare-net --unshare-pid --ro-bind / / --proc /proc true".split(" ");

export function whyNoSandbox(): string | undefined {
  if (process.platform !== "linux") return "they know the sandbox of Linux only";
  if (Bun.which("bwrap") === null || Bun.which("socat") === null)
    return `missing: apt-get install ${PACKAGES.join(" ")}`;
  const { success, stderr } = Bun.spawnSync(NAMESPACES, { stderr: "pipe" });
  return success ? undefined : `user namespaces are forbidden here (${stderr.toString().trim()})`;
}

if (import.meta.main) {
  const canInstall = process.platform === "linux" && process.getuid?.() === 0 && Bun.which("apt-get") !== null;
  const apt = (...args: string[]) =>
    Bun.spawnSync(["apt-get", "-qq", ...args], { stdout: "ignore", stderr: "ignore", timeout: 120_000 }).success;
  const install = () => apt("install", "-y", ...PACKAGES);
  // A fresh container has no list of packages yet.
  if (canInstall && whyNoSandbox()?.startsWith("missing") === true) install() || (apt("update") && install());
  const why = whyNoSandbox();
  if (why !== undefined) console.log(`Left out: the tests of reviews in a sandbox: ${why}`);
}
