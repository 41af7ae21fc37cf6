/** Waits, at most until something else has happened. */
export async function pause(seconds: number, other: Promise<unknown> = NEVER): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, seconds * 1000);
  await Promise.race([over.promise, other]);
  clearTimeout(timer);
}

const NEVER = new Promise(() => {});
