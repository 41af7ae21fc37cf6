/** Passes texts on up to a number of them and of characters, then says once that the rest is left out. */
export function limited(
  say: (text: string) => void,
  most: { readonly texts: number; readonly characters: number },
  leftOut: string,
): (text: string) => void {
  let texts = 0;
  let characters = 0;
  let isFull = false;
  return (text) => {
    if (isFull) return;
    texts++;
    characters += text.length;
    isFull = texts > most.texts || characters > most.characters;
    say(isFull ? leftOut : text);
  };
}
