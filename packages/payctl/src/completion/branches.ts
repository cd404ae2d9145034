import type { Command, Option } from 'commander'
import { listCommands } from '../command-tree.ts'

/**
 * The parts of a completion script that are the same in every shell. `steps`: every command that has a parent, as
 * `parent name`, with an empty parent at the top: ` tenant`, `tenant list`. `values`: the options with a value, by what
 * completes it; `at` is the path of the command and the option: `dlq groups --by`.
 */
export function collectBranches(program: Command) {
  const nodes = listCommands(program)
  const valued = nodes.flatMap(({ path, options }) =>
    options.filter(takesValue).map((option) => ({ at: `${path} ${option.long}`, choices: option.argChoices, option })),
  )
  return {
    steps: nodes.flatMap(({ path, command }) => command.commands.map((one) => `${path} ${one.name()}`)),
    nodes,
    values: {
      chosen: valued.flatMap(({ at, choices }) => (choices === undefined ? [] : [{ at, choices }])),
      files: valued.filter(({ option }) => takesFile(option)).map(({ at }) => at),
      free: valued.filter(({ choices, option }) => choices === undefined && !takesFile(option)).map(({ at }) => at),
    },
  }
}

export const takesValue = ({ required, optional }: Option): boolean => required || optional

/** Whether the value is the path of a file or a directory. */
export const takesFile = ({ flags }: Option): boolean => /<(path|file|directory)>/.test(flags)

/** A word in single quotes, for bash and zsh. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const alternatives = (patterns: readonly string[]): string => patterns.map(quote).join(' | ')
