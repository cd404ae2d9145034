import type { ProviderCalls } from '../../src/connectors/provider-calls.ts'

/** A process that crashes around a request to the provider, and work until none is left. */
const loopsMax = 50

export function crashing(provider: ProviderCalls, moment: 'before' | 'after'): ProviderCalls {
  const send: ProviderCalls['send'] = async (request) => {
    if (moment === 'after') await provider.send(request)
    throw new Error(crash)
  }
  return { ...provider, send }
}

const crash = 'the process crashed'

export function requireCrash(error: unknown): void {
  const causes = error instanceof AggregateError ? error.errors : [error]
  if (causes.some((cause) => (cause as Error).message !== crash)) throw error
}

export async function untilNone(work: () => Promise<number>): Promise<void> {
  for (let turn = 0; turn < loopsMax; turn += 1) if ((await work()) === 0) return
  throw new Error(`work is left after ${loopsMax} turns`)
}
