import { archiveName, type Target } from "./targets.ts";

export interface Formula {
  readonly version: string;
  readonly description: string;
  /** "owner/name" on GitHub. */
  readonly repository: string;
  /** SHA-256 of each asset, by its name. */
  readonly sums: ReadonlyMap<string, string>;
}

/** The Homebrew formula, ccc.rb, for the tap. */
export function renderFormula({ version, description, repository, sums }: Formula): string {
  const source = (os: "darwin" | "linux", arch: "arm64" | "x64") => {
    const name = archiveName({ os, arch, libc: os === "linux" ? "glibc" : null } satisfies Target);
    const sum = sums.get(name);
    if (sum === undefined) throw new Error(`${name} has no sum`);
    return `      url "https://github.com/${repository}/releases/download/v${version}/${name}"
      sha256 "${sum}"`;
  };
  return `class Ccc < Formula
  desc "${description}"
  homepage "https://github.com/${repository}"
  version "${version}"
  license "MIT"

  on_macos do
    on_arm do
${source("darwin", "arm64")}
    end
    on_intel do
${source("darwin", "x64")}
    end
  end

  on_linux do
    on_arm do
${source("linux", "arm64")}
    end
    on_intel do
${source("linux", "x64")}
    end
  end

  def install
    bin.install "ccc"
    generate_completions_from_executable(bin/"ccc", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match "ccc #{version} (", shell_output("#{bin}/ccc --version")

    (testpath/"ccc.json").write <<~JSON
      {"providers": {"local": {"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_AUTH_TOKEN": "none"}}}}
    JSON
    ENV["CCC_CONFIG_DIR"] = testpath.to_s
    ENV["CCC_CLAUDE"] = "/bin/echo"
    plan = JSON.parse(shell_output("#{bin}/ccc --dry-run --json local hello"))
    assert_equal "/bin/echo", plan["file"]
    assert_equal "hello", plan["args"].last
  end
end
`;
}
