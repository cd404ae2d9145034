import type { EventDefinitions } from '../grammar/event.ts'
import { contracts } from './contracts.ts'

/** The catalogue that a subscription chooses from: the events of every contract. */
export const eventTypes: EventDefinitions = Object.assign({}, ...contracts.map(({ events }) => events))
