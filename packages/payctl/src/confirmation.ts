import { createInterface } from 'node:readline/promises'
import { commandFailure, usageError } from './arguments.ts'

interface Confirmation {
  /** Names the change of the command. */
  readonly question: string
  /** The word to type. */
  readonly word: string
  /** The message where there is no terminal. */
  readonly without: string
  /** The message after another word. */
  readonly otherwise: string
}

/** Reads the word from the terminal. Throws a CommanderError for another word, and where there is no terminal. */
export async function confirm({ question, word, without, otherwise }: Confirmation): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw usageError(`${without}: add --yes`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const typed = await terminal.question(`${question} Type "${word}" to continue: `)
    if (typed.trim() !== word) throw commandFailure(otherwise)
  } finally {
    terminal.close()
  }
}

/** Before an erasure. `whom`: `the payer`. */
export const confirmErasure = (whom: string): Promise<void> =>
  confirm({
    question: `Erase ${whom}? This cannot be undone.`,
    word: 'erase',
    without: 'an erasure cannot be undone',
    otherwise: 'nothing was erased',
  })
