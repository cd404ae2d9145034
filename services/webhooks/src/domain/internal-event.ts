import { contracts } from '@payments/contracts/edges/contracts'

const internalTypes = new Set(contracts.flatMap(({ internalEvents }) => Object.keys(internalEvents ?? {})))

/** Whether an event is between services: it is neither stored nor delivered. */
export const isInternal = (type: string): boolean => internalTypes.has(type)
