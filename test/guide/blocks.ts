import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@payments/devkit/machine/profile'

/** A block of code of a guide. */
export interface Block {
  readonly language: string
  /** The file that contains the block, or what runs it. Undefined: the reader pastes the block. */
  readonly label: string | undefined
  readonly text: string
}

const directory = join(root, 'docs', 'guide')

/** The names of the guides, without `.md`. */
export const guides = readdirSync(directory)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => name.slice(0, -3))

export const readGuide = (guide: string) => readFileSync(join(directory, `${guide}.md`), 'utf8')

export function findBlocks(guide: string): Block[] {
  return [...readGuide(guide).matchAll(/^```(\w*) ?(\S*)\n(.*?)^```$/gms)].map(
    ([, language = '', label, text = '']) => ({
      language,
      label: label === '' ? undefined : label,
      text,
    }),
  )
}

/** The one block with this label. */
export function block(guide: string, label: string): string {
  const [found, ...others] = findBlocks(guide).filter((candidate) => candidate.label === label)
  if (found === undefined || others.length > 0) throw new Error(`${guide} has not one block ${label}`)
  return found.text
}

/** The blocks of a guide that its reader pastes into one shell, in order. */
export const toPaste = (guide: string) =>
  findBlocks(guide)
    .filter(({ language, label }) => language === 'sh' && label === undefined)
    .map(({ text }) => text)

/** The outputs that the comments of commands promise. */
export const readOutputs = (text: string) => [...text.matchAll(/ +# (\S+)$/gm)].map(([, output]) => String(output))
