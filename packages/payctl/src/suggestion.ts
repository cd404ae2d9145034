import { type Argument, type Command, InvalidArgumentError, type Option } from 'commander'

/** Characters of a word that are compared. */
const wordMax = 100
const distanceMax = 3

/** ` (Did you mean redrive?)`, or nothing when no candidate is close to the word. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const nearest = findNearest(word.slice(0, wordMax).toLowerCase(), candidates)
  return nearest === undefined ? '' : ` (Did you mean ${nearest}?)`
}

/** The candidate with the fewest edits, or the only one that contains the word. */
function findNearest(word: string, candidates: readonly string[]): string | undefined {
  const edits = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
  const [best] = edits.sort((one, other) => one.distance - other.distance)
  if (best !== undefined && best.distance <= Math.min(distanceMax, Math.ceil(word.length / 3))) return best.candidate
  const containing = candidates.filter((candidate) => word.length >= 3 && candidate.includes(word))
  return containing.length === 1 ? containing[0] : undefined
}

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row]
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1]
      const edits = [(above[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1, (above[at - 1] ?? 0) + (isSame ? 0 : 1)]
      if (one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]) edits.push((before[at - 2] ?? 0) + 1)
      line.push(Math.min(...edits))
    }
    before = above
    above = line
  }
  return above[other.length] ?? 0
}

/** Lets every argument and option with choices suggest one, in the command and below. A missing argument names all. */
export function suggestChoices(command: Command): void {
  Object.assign(command, { missingArgument: (name: string) => rejectMissing(command, name) })
  for (const one of [...command.registeredArguments, ...command.options]) suggestChoice(one)
  for (const one of command.commands) suggestChoices(one)
}

/** In place of the message of commander, which only has the name of the argument. */
function rejectMissing(command: Command, name: string): never {
  const { argChoices = [] } = command.registeredArguments.find((argument) => argument.name() === name) ?? {}
  const choices = argChoices.length === 0 ? '' : `; allowed choices are ${argChoices.join(', ')}`
  return command.error(`error: missing required argument '${name}'${choices}`, { code: 'commander.missingArgument' })
}

function suggestChoice(parameter: Argument | Option): void {
  const { argChoices: choices } = parameter
  if (choices === undefined) return
  parameter.argParser((value: string) => {
    if (choices.includes(value)) return value
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${didYouMean(value, choices)}`)
  })
}
