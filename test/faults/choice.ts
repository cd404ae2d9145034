interface Named {
  readonly name: string
  /** Part of `npm test`. */
  readonly short?: true
}

/**
 * Undefined is the short form; else `all`, or parts of names with commas between them. Throws where nothing has such a
 * name.
 */
export function chooseFaults<F extends Named>(faults: readonly F[], choice: string | undefined): readonly F[] {
  const parts = choice?.split(',') ?? []
  const isChosen = ({ name, short }: F) =>
    choice === undefined ? short : choice === 'all' || parts.some((part) => name.includes(part))
  const chosen = faults.filter(isChosen)
  const names = faults.map(({ name }) => name)
  if (chosen.length === 0) throw new Error(`No fault has "${choice}" in its name. There are: ${names.join(', ')}`)
  return chosen
}
