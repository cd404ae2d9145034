import { backgroundLoadFaults } from './background-load.ts'
import { endpointFaults } from './endpoints.ts'
import type { Fault } from './fault.ts'
import { processFaults } from './processes.ts'
import { serverFaults } from './servers.ts'
import { subscriptionFaults } from './subscriptions.ts'

export const faults: readonly Fault[] = [
  ...processFaults,
  ...serverFaults,
  ...endpointFaults,
  ...subscriptionFaults,
  ...backgroundLoadFaults,
]

/** Undefined is the short form; else `all`, or parts of names with commas between them. Throws where nothing has such a name. */
export function chosenFaults(choice: string | undefined): readonly Fault[] {
  const parts = choice?.split(',') ?? []
  const isChosen = ({ name, short }: Fault) =>
    choice === undefined ? short : choice === 'all' || parts.some((part) => name.includes(part))
  const chosen = faults.filter(isChosen)
  const names = faults.map(({ name }) => name)
  if (chosen.length === 0) throw new Error(`No fault has "${choice}" in its name. There are: ${names.join(', ')}`)
  return chosen
}
