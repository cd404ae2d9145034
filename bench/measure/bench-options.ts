import { parseArgs } from 'node:util'

/** The command-line options of a benchmark, all whole numbers. Ends the process with exit code 2 on invalid options. */
export function benchOptions<Name extends string>(defaults: Readonly<Record<Name, number>>): Record<Name, number> {
  const entries = Object.entries<number>(defaults)
  const options = entries.map(([name, value]) => [name, { type: 'string' as const, default: String(value) }] as const)
  try {
    const { values } = parseArgs({ options: Object.fromEntries(options) })
    return Object.fromEntries(entries.map(([name]) => [name, parseNumber(name, values[name])])) as Record<Name, number>
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const usage = entries.map(([name, value]) => `[--${name} ${value}]`)
    console.error(`${error.message}\nOptions and defaults: ${usage.join(' ')}`)
    process.exit(2)
  }
}

function parseNumber(name: string, value = ''): number {
  if (!/^\d+$/.test(value)) throw new TypeError(`--${name} must be a whole number`)
  return Number(value)
}
