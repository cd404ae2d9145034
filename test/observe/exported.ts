/** The metrics that real processes export, against those that rules, dashboards and runbook read. */
import { spawnSync } from 'node:child_process'
import { findPromtool } from '@payments/devkit/programs/promtool'
import { type Expression, expressions, records } from './files.ts'
import { parseQuery } from './promql.ts'

/** By name of a sample, its labels. */
export type Exported = ReadonlyMap<string, ReadonlySet<string>>

/** Labels of the target, which Prometheus adds. */
const ofTarget = ['service', 'instance', 'job']

export function labelsBySample(exposition: string): Exported {
  const samples = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of exposition.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm)) {
    const known = samples.get(name) ?? new Set(ofTarget)
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    samples.set(name, known)
  }
  return samples
}

/** Complaints about the metrics and labels of `given` that no process exports and no rule records. */
export function findUnexported(exported: Exported, given: readonly Expression[] = expressions()): string[] {
  const recorded = records.map(({ record, expr }) => [record, new Set(parseQuery(expr).results)] as const)
  const known = new Map([...exported, ['up', new Set(ofTarget)] as const, ...recorded])
  return given.flatMap(({ where, expr, shown }) => {
    const { uses, results } = parseQuery(expr)
    const ofUses = uses.flatMap(({ metric, labels }) => {
      const has = known.get(metric)
      if (has === undefined) return [`${where}: no process exports ${metric}`]
      return labels.filter((label) => !has.has(label)).map((label) => `${where}: ${metric} has no label ${label}`)
    })
    const available = results ?? uses.flatMap(({ metric }) => [...(known.get(metric) ?? [])])
    const ofTexts = shown.filter((label) => !available.includes(label))
    return [...ofUses, ...ofTexts.map((label) => `${where}: its text shows ${label}, which its results do not have`)]
  })
}

/** The text of `/metrics` of each port. */
export async function scrape(ports: readonly number[]): Promise<string[]> {
  return Promise.all(
    ports.map(async (port) => {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(30_000) })
      if (!response.ok) throw new Error(`port ${port} responded with ${response.status}`)
      return response.text()
    }),
  )
}

/** Runs promtool. Returns its output unless it succeeds; null, with a line on the terminal, where it is missing. */
export function promtool(args: readonly string[], input = ''): string | null {
  const program = findPromtool()
  if (program === undefined) {
    console.warn(`not run: promtool ${args.join(' ')}. It is in the package prometheus: apt-get install prometheus`)
    return null
  }
  const { status, stdout, stderr } = spawnSync(program, [...args], { input, encoding: 'utf8', timeout: 600_000 })
  return status === 0 ? '' : `${stdout}${stderr}`
}
