import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { usageError } from './arguments.ts'

const checkpoint = z.object({
  tenant_id: z.guid().nullable(),
  sequence: z.int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
})

export type Checkpoint = z.output<typeof checkpoint>

/**
 * Reads what `audit checkpoints` printed (a file), or what the audit service exported (a directory with one folder for
 * each chain). `incomplete`: files that a crash of the exporting process cut off.
 * Throws CommanderError on a line that is not a checkpoint.
 */
export function readCheckpoints(path: string): { checkpoints: Checkpoint[]; incomplete: string[] } {
  if (!isDirectory(path)) return { checkpoints: parse(path, readFileSync(path, 'utf8')), incomplete: [] }
  const checkpoints: Checkpoint[] = []
  const incomplete: string[] = []
  for (const chain of readdirSync(path, { withFileTypes: true })) {
    if (!chain.isDirectory()) continue
    for (const name of readdirSync(join(path, chain.name)).filter((file) => file.endsWith('.json'))) {
      const file = join(path, chain.name, name)
      const content = readFileSync(file, 'utf8')
      if (content.endsWith('\n')) checkpoints.push(...parse(file, content))
      else incomplete.push(file)
    }
  }
  return { checkpoints, incomplete }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (cause) {
    throw usageError(`--checkpoints cannot be read: ${(cause as Error).message}`)
  }
}

function parse(file: string, content: string): Checkpoint[] {
  return content.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return []
    const parsed = checkpoint.safeParse(parseJson(line))
    if (!parsed.success) throw usageError(`${file}:${i + 1} is not a checkpoint`)
    return [parsed.data]
  })
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // The schema rejects it.
    return undefined
  }
}
