import { describe, expect, test } from "bun:test";
import { gitOverrides, overriddenKeys, repositoryKeys, unsafeKeys } from "../../../../src/supervisor/guard/git.ts";

describe("git configuration keys that name programs", () => {
  const unsafe = [
    ...[
      "core.fsmonitor",
      "core.hookspath",
      "core.pager",
      "core.sshcommand",
      "core.askpass",
      "core.gitproxy",
      "pager.log",
    ],
    ...[
      "diff.external",
      "diff.d.command",
      "diff.a.b.textconv",
      "filter.lfs.clean",
      "filter.lfs.smudge",
      "filter.x.process",
    ],
    ...[
      "filter.x.required",
      "diff.x.cachetextconv",
      "blame.ignorerevsfile",
      "gpg.program",
      "gpg.ssh.program",
      "credential.helper",
      "credential.https://x.y.helper",
    ],
    ...["remote.origin.uploadpack", "remote.origin.vcs", "protocol.ext.allow"],
  ];
  const harmless = [
    "core.bare",
    "user.name",
    "remote.origin.url",
    "diff.algorithm",
    "diff.d.xfuncname",
    "branch.main.merge",
  ];
  test("are recognized", () => expect(unsafeKeys([...harmless, ...unsafe], new Set())).toEqual(unsafe));

  test("are recognized with any text in the middle, and with none", () => {
    const odd = ["", "a\u2028b", "a\rb", "a\tb", "\ufffd"].flatMap((name) => [
      ...[`filter.${name}.clean`, `diff.${name}.command`, `diff.${name}.textconv`, `submodule.${name}.ignore`],
    ]);
    expect(unsafeKeys(odd, new Set())).toEqual(odd);
    expect(repositoryKeys(odd.map((key) => `local\t${key}`).join("\n"))).toEqual(odd);
    // No override names the bytes for which U+FFFD stands.
    expect(unsafeKeys(odd, new Set(odd))).toEqual(odd.slice(-4));
  });

  test("are each overridden", () => {
    const env = gitOverrides(unsafe);
    expect([...overriddenKeys(env)]).toEqual(expect.arrayContaining(unsafe));
    expect(env).toMatchObject({ GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" });
  });
  test("are partly overridden in every repository", () => {
    const keys = [...overriddenKeys(gitOverrides([]))];
    expect(keys).toEqual(
      expect.arrayContaining([
        ...["core.fsmonitor", "core.hookspath", "gpg.program", "gpg.ssh.program", "log.showsignature"],
        ...["diff.ignoresubmodules", "diff.submodule", "status.submodulesummary", "submodule.recurse"],
      ]),
    );
    expect(gitOverrides([]).GIT_CONFIG_COUNT).toBe(String(keys.length));
  });
  test("submodules are ignored, whatever their own setting", () => {
    const env = gitOverrides(["submodule.a.b.path", "submodule.a.b.ignore", "submodule.recurse"]);
    const at = [...overriddenKeys(env)].indexOf("submodule.a.b.ignore");
    expect(env[`GIT_CONFIG_VALUE_${at}`]).toBe("dirty");
    expect(Number(env.GIT_CONFIG_COUNT)).toBe(Number(gitOverrides([]).GIT_CONFIG_COUNT) + 1);
  });
  test("matter only if the repository sets them", () => {
    const list = "system\ta.b\nglobal\tfilter.lfs.clean\nlocal\tcore.bare\nworktree\tdiff.x.textconv\ncommand\tx.y\n";
    expect(repositoryKeys(list)).toEqual(["core.bare", "diff.x.textconv"]);
  });
});
