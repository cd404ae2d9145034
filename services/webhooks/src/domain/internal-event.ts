import { contracts } from '@payments/contracts/edges/contracts'
import { erasingServices, reportTypeOf } from '@payments/contracts/nouns/payer-erasure'

const internalTypes = new Set(contracts.flatMap(({ internalEvents }) => Object.keys(internalEvents ?? {})))
const reportTypes = new Set<string>(erasingServices.map(reportTypeOf))

/** Whether an event is between services: it is neither stored nor delivered. */
export const isInternal = (type: string): boolean => internalTypes.has(type)

/** Whether an event names resources of which a service erased the payer. */
export const isErasureReport = (type: string): boolean => reportTypes.has(type)
