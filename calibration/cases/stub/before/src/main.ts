const [option, value = ""] = process.argv.slice(2);
if (option !== "--every") {
  console.error("usage: main.ts --every DURATION");
  process.exit(2);
}
console.log(`every ${Number(value)} ms`);
