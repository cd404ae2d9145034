import { parseArgs } from 'node:util'

/** The command-line options of a benchmark, all whole numbers. Ends the process with exit code 2 on invalid options. */
export function benchOptions<Name extends string>(defaults: Readonly<Record<Name, number>>): Record<Name, number> {
  try {
    return parse(defaults)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const usage = Object.entries<number>(defaults).map(([name, value]) => `[--${name} ${value}]`)
    console.error(`${error.message}\nOptions and defaults: ${usage.join(' ')}`)
    process.exit(2)
  }
}

function parse<Name extends string>(defaults: Readonly<Record<Name, number>>): Record<Name, number> {
  const names = Object.keys(defaults) as Name[]
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  })
  const entries = names.map((name) => [name, parseNumber(name, values[name]) ?? defaults[name]] as const)
  return Object.fromEntries(entries) as Record<Name, number>
}

function parseNumber(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^\d+$/.test(value)) throw new TypeError(`--${name} must be a whole number`)
  return Number(value)
}
