import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@payments/devkit/machine/profile'

/** The commands of docs/deploying.md. */
const page = readFileSync(join(root, 'docs', 'deploying.md'), 'utf8')

/** The blocks of a language below a heading, up to the next heading. */
export function findBlocks(heading: string, language = 'bash'): string[] {
  const [, section = ''] = new RegExp(`^#+ ${heading}$(.*?)(?=^##|(?![^]))`, 'ms').exec(page) ?? []
  const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  )
  if (blocks.length === 0) throw new Error(`docs/deploying.md has no ${language} below "${heading}"`)
  return blocks
}

/** The first block below a heading. */
export const findBlock = (heading: string, language?: string): string => findBlocks(heading, language)[0] ?? ''

export interface Shell {
  /** Runs a block in the checkout, after the functions of the shell. Returns its standard output. */
  readonly run: (block: string) => Promise<string>
}

/** A shell whose commands stop at the first error. */
export function shell(env: NodeJS.ProcessEnv, functions: string): Shell {
  return {
    async run(block) {
      const script = `set -euo pipefail\n${functions}\n${block}`
      const options = { cwd: root, env, timeout: 300_000, maxBuffer: 16 * 2 ** 20 }
      const { stdout } = await promisify(execFile)('bash', ['-c', script], options)
      return stdout
    },
  }
}

/** The variables that a block exports. */
export function listExports(block: string): string[] {
  const lines = block.split('\n').filter((line) => line.startsWith('export '))
  return lines.flatMap((line) => [...line.matchAll(/ (\w+)=/g)].map(([, name = '']) => name))
}

/** The processes that the page starts. */
export function startedProcesses(): string[] {
  const units = findBlocks('Start')
    .join('')
    .matchAll(/payments@\{(.*)\}/g)
  return [...units].flatMap(([, names = '']) => names.split(','))
}
