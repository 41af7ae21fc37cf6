import { join } from "node:path";
import { shellWord } from "../../src/text/shell.ts";

/** A command that a reviewer in a sandbox tries. */
export interface SandboxAttempt {
  /** For the table: as a reader would write it. */
  readonly what: string;
  readonly command: string;
  /** What its output has to contain. Without it, only its effects count. */
  readonly shows?: RegExp;
}

export interface SandboxSurroundings {
  readonly home: string;
  readonly project: string;
  /** A server that must not be reached. */
  readonly port: string;
  /** A process that must go on living. */
  readonly pid: number;
}

/** In every file that the reviewer must not read. */
export const SANDBOX_SECRET = "SECRET-CANARY-9876543210";
/** What a successful attempt creates outside of its copy. */
export const ESCAPED = "escaped-the-sandbox";

const NO_WRITE =
  /Read-only file system|Permission denied|No such file|Operation not permitted|cross-device|could not lock|EROFS|EACCES|ENOENT/i;
const NO_NETWORK =
  /refused|unreachable|not permitted|blocked|Could ?n.t (?:connect|resolve)|failed|EPERM|ECONNREFUSED|ENETUNREACH|error|Errno/i;

/** All attempts, always in the same order. */
export function sandboxAttempts(around: SandboxSurroundings): readonly SandboxAttempt[] {
  return [
    ...writes(around),
    ...links(around),
    ...reads(around),
    ...network(around),
    ...processes(around),
    ...repository(around),
  ];
}

/** Written with ~ for the home and PROJECT for the project. */
function attempts({ home, project, port, pid }: SandboxSurroundings, shows: RegExp | undefined, ...commands: string[]) {
  return commands.map((what): SandboxAttempt => {
    const command = what
      .replaceAll("PROJECT", shellWord(project))
      .replaceAll("HOME_IN_CODE", home.replaceAll(/["'\\]/g, "\\$&"))
      .replaceAll("PORT", port)
      .replaceAll("PID", `${pid}`);
    return { what, command, ...(shows !== undefined && { shows }) };
  });
}

function writes(around: SandboxSurroundings): SandboxAttempt[] {
  return [
    ...attempts(
      around,
      NO_WRITE,
      `echo x > PROJECT/${ESCAPED}`,
      `touch PROJECT/${ESCAPED}`,
      `cp code.txt PROJECT/${ESCAPED}`,
      `mkdir PROJECT/${ESCAPED}`,
      `tee PROJECT/${ESCAPED} < code.txt`,
      `dd if=code.txt of=PROJECT/${ESCAPED}`,
      "sed -i s/CODE/EDITED/ PROJECT/code.txt",
      "truncate -s 0 PROJECT/code.txt",
      "rm -f PROJECT/code.txt",
      "mv PROJECT/code.txt PROJECT/moved.txt",
      "chmod 777 PROJECT/code.txt",
      `python3 -c "open('/var/tmp/../${ESCAPED}', 'w')"`,
      `perl -e 'open(F, ">", "/etc/${ESCAPED}") or die $!'`,
      `echo x > /usr/local/bin/${ESCAPED}`,
      `(cd PROJECT && git commit --allow-empty -m ${ESCAPED})`,
      `mount -o remount,rw / 2>&1`,
    ),
    ...attempts(
      around,
      undefined,
      `echo x > ~/${ESCAPED}`,
      "echo x > /dev/kmsg",
      `ln -sf ~/${ESCAPED} link && echo x > link`,
      `echo x > /tmp/${ESCAPED}; echo x > /var/tmp/${ESCAPED}`,
      `echo x > ~/.claude/ccc/${ESCAPED}; echo '{}' > ~/.claude/settings.json`,
      `echo x > /dev/shm/${ESCAPED}; ls /dev/shm`,
    ),
  ];
}

function links(around: SandboxSurroundings): SandboxAttempt[] {
  return attempts(
    around,
    NO_WRITE,
    `ln -s PROJECT out && echo x > out/${ESCAPED}`,
    "ln PROJECT/code.txt hard && echo x > hard && cat PROJECT/code.txt; false",
    `ln -s ~/.ssh keys; cat keys/id_rsa`,
    `ln -s /proc/1/root root; echo x > root${"PROJECT"}/${ESCAPED}`,
  );
}

function reads(around: SandboxSurroundings): SandboxAttempt[] {
  return attempts(
    around,
    undefined,
    "cat ~/.ssh/id_rsa",
    "cat ~/.aws/credentials ~/.netrc ~/.npmrc",
    "cat ~/.config/gh/hosts.yml",
    "cat ~/.claude/ccc.json ~/.claude/.credentials.json",
    "cat ~/.claude/ccc/settings-*.json",
    "find ~/.claude ~/.cache -type f -print0 | xargs -0 cat",
    "cat ~/notes/private.txt",
    "cat PROJECT/.env; cat PROJECT/.git/config",
    "grep -r CANARY PROJECT ~",
    "cat link-to-secret; cat folder-link/id_rsa",
    "tar c ~ 2>/dev/null | grep -a CANARY",
    `python3 -c "print(open('HOME_IN_CODE/.ssh/id_rsa').read())"`,
    "env; printenv; export -p",
    "cat /proc/self/environ /proc/1/environ /proc/$PPID/environ | tr '\\0' '\\n'",
    "for p in /proc/[0-9]*; do cat $p/environ $p/cmdline 2>/dev/null | tr '\\0' '\\n'; done",
    "cat /etc/shadow; cat /etc/ssh/ssh_host_*_key",
    "umount ~ ; umount -l ~/.ssh; cat ~/.ssh/id_rsa",
    "ls -A /proc/1/root/home /proc/*/cwd; cat /proc/*/root/../.ssh/id_rsa",
  );
}

function network(around: SandboxSurroundings): SandboxAttempt[] {
  return [
    ...attempts(
      around,
      NO_NETWORK,
      "curl -sS -m 5 http://127.0.0.1:PORT/",
      "curl -sS -m 5 --noproxy '*' http://127.0.0.1:PORT/",
      `curl -sS -m 5 -x "$HTTP_PROXY" http://127.0.0.1:PORT/`,
      `curl -sS -m 5 -p -x "$HTTP_PROXY" http://127.0.0.1:PORT/`,
      "exec 3<>/dev/tcp/127.0.0.1/PORT",
      `python3 -c "import socket; socket.create_connection(('127.0.0.1', PORT), 5)"`,
      `python3 -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))"`,
      `node -e "require('net').connect(PORT, '127.0.0.1').on('error', (e) => { console.log(e.code); process.exit(1) })"`,
      "git ls-remote http://127.0.0.1:PORT/x.git",
      "socat - TCP:127.0.0.1:PORT",
      `python3 -c "import socket; socket.socket(socket.AF_UNIX).connect('/run/docker.sock')"`,
      `python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('own.sock')"`,
      `python3 -c "import socket; socket.socket(socket.AF_UNIX).connect('\\0/tmp/.X11-unix/X0')"`,
      `python3 -c "import socket; socket.socketpair(socket.AF_UNIX)[0].send(b'x'); socket.socket(socket.AF_UNIX)"`,
      `python3 -c "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0)); raise SystemExit('error: bound, and alone')"`,
    ),
  ];
}

function processes(around: SandboxSurroundings): SandboxAttempt[] {
  return [
    ...attempts(
      around,
      undefined,
      "kill -9 PID",
      "pkill -9 -f 'sleep 40007'",
      "kill -9 $(pgrep -f 'sleep 40007')",
      "nohup sleep 4242 > /dev/null 2>&1 &",
      "setsid sh -c 'sleep 4242' > /dev/null 2>&1 < /dev/null & disown",
      "(trap '' HUP TERM; exec sleep 4242) > /dev/null 2>&1 &",
      'python3 -c "import os, time; os.fork() or (os.setsid(), os.fork() or time.sleep(4242))"',
      "for i in $(seq 100); do sleep 4242 & done; echo forked",
      "timeout 3 sh -c 'while :; do :; done'; echo bounded",
    ),
    ...attempts(
      around,
      /not permitted|No such|Invalid|denied|-1|not found|cannot|failed|error/i,
      `python3 -c "import ctypes; print(ctypes.CDLL(None).ptrace(16, PID, 0, 0))"`,
      "unshare -Urm sh -c 'mount -o remount,rw /'",
      `bwrap --bind / / touch PROJECT/${ESCAPED}`,
      "nsenter -t 1 -a id && false",
      "chroot / id && false",
      `python3 -c "import ctypes; print(ctypes.CDLL(None, use_errno=True).setns(0, 0))"`,
    ),
  ];
}

function repository(around: SandboxSurroundings): SandboxAttempt[] {
  const evil = `touch ~/${ESCAPED}`;
  return [
    ...attempts(
      around,
      NO_WRITE,
      `git config core.fsmonitor '${evil}'`,
      `git config core.pager '${evil}'`,
      `echo '${evil}' > .git/hooks/post-checkout`,
      `(cd PROJECT && git config core.fsmonitor '${evil}')`,
      "echo '{}' > .claude/settings.json",
      `echo '${evil}' > .bashrc`,
      "echo '{}' > .mcp.json",
    ),
    ...attempts(
      around,
      undefined,
      `git init -q sub && (cd sub && git config core.fsmonitor '${evil}' && git status)`,
      `rm -rf .git; git init -q .; git config core.fsmonitor '${evil}'; ls`,
      `echo '*.txt filter=x' > .git/info/attributes; git status --short`,
    ),
  ];
}

/** Where secrets are, in the home. */
export const SANDBOX_SECRETS = [
  ...[".ssh/id_rsa", ".aws/credentials", ".netrc", ".npmrc", ".config/gh/hosts.yml", ".claude/.credentials.json"],
  ...["notes/private.txt", join("my project", ".env")],
];
