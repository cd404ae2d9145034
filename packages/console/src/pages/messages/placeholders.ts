const placeholder = /\{\{\s*([a-z][a-z0-9_]{0,49})\s*\}\}/g

/** The names of the variables that the texts use, each once, in order. */
export const listPlaceholders = (...texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name))),
]
