import { type CommandNode, everyCommand, type OptionNode } from '../command-tree.ts'

/**
 * The parts of a completion script that are the same in every shell. `steps`: every command that has a parent, as
 * `parent name`, with an empty parent at the top: ` tenant`, `tenant list`. `values`: the options with a value, by what
 * completes it; `at` is the path of the command and the option: `dlq groups --by`.
 */
export function collectBranches(tree: CommandNode) {
  const all = everyCommand(tree).map((node) => ({ path: node.path.join(' '), node }))
  const valued = all.flatMap(({ path, node }) =>
    node.options.filter(({ takesValue }) => takesValue).map((option) => ({ at: `${path} ${option.long}`, option })),
  )
  const isChosen = ({ choices }: OptionNode) => choices.length > 0
  return {
    steps: all.flatMap(({ path, node }) => node.commands.map((one) => `${path} ${one.path.at(-1)}`)),
    nodes: all,
    values: {
      chosen: valued.filter(({ option }) => isChosen(option)),
      files: valued.filter(({ option }) => option.takesFile).map(({ at }) => at),
      free: valued.filter(({ option }) => !isChosen(option) && !option.takesFile).map(({ at }) => at),
    },
  }
}

/** A word in single quotes, for bash and zsh. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const alternatives = (patterns: readonly string[]): string => patterns.map(quote).join(' | ')
