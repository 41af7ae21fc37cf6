/** Writes a generated file; with --check, fails if it is out of date. */
export async function writeOrCheck(name: string, text: string, source: string): Promise<void> {
  const file = Bun.file(`${import.meta.dir}/../${name}`);
  if (!process.argv.includes("--check")) await Bun.write(file, text);
  else if ((await file.text().catch(() => "")) !== text) {
    console.error(`${name} is out of date: ${source} has changed. Run \`bun run fix\`.`);
    process.exitCode = 1;
  }
}
