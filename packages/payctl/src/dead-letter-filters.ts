import { eventTypes } from '@payments/contracts/edges/event-types'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import type { ShownDeadLetterFilter } from '@payments/contracts/services/webhooks/dead-letters'
import { type ErrorKind, errorKinds } from '@payments/contracts/services/webhooks/delivery'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { instant, uuid, wholeNumber } from './arguments.ts'
import { printable } from './output.ts'
import { deadLetters } from './queues.ts'
import { didYouMean } from './suggestion.ts'

/** The options that select dead letters, and a filter of the API as such options. */

export interface Filters {
  tenant?: string
  unit?: string
  subscription?: string
  errorKind?: ErrorKind
  statusCode?: number
  eventType?: string
  deadAfter?: string
  deadBefore?: string
}

export function withFilters(command: Command): Command {
  return command
    .option('--tenant <id>', 'only dead letters of this tenant', uuid)
    .option('--unit <id>', 'only dead letters of this business unit', uuid)
    .option('--subscription <id>', 'only dead letters of this subscription', uuid)
    .addOption(
      new Option('--error-kind <kind>', 'only dead letters whose last attempt failed with this kind of error').choices(
        errorKinds,
      ),
    )
    .option('--status-code <code>', 'only dead letters whose last response had this status', wholeNumber(100, 999))
    .option('--event-type <type>', 'only dead letters of this event type', eventType)
    .option('--dead-after <instant>', 'only deliveries that died after this instant', instant)
    .option('--dead-before <instant>', 'only deliveries that died before this instant', instant)
}

const knownTypes = Object.keys(eventTypes).sort()
const eventType = (value: string) => {
  if (!Object.hasOwn(eventTypes, value))
    throw new InvalidArgumentError(`must be one of ${knownTypes.join(', ')}${didYouMean(value, knownTypes)}`)
  return value
}

/** The fields of the API, by the options. */
const fields = {
  tenant: 'tenant_id',
  unit: 'business_unit_id',
  subscription: 'subscription_id',
  errorKind: 'error_kind',
  statusCode: 'status_code',
  eventType: 'event_type',
  deadAfter: 'dead_after',
  deadBefore: 'dead_before',
} as const satisfies Record<keyof Filters, keyof ShownDeadLetterFilter>

const filterNames = Object.keys(fields) as (keyof Filters)[]

/** The command line that redrives what the filter selects. Every value is a word of the shell. */
export function redriveCommand(filter: ShownDeadLetterFilter): string {
  const given = filterNames.flatMap((name) => {
    const value = filter[fields[name]]
    const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return value === undefined ? [] : [`--${option} ${value}`]
  })
  return printable(`payctl dlq redrive ${deadLetters} ${given.length === 0 ? '--all' : given.join(' ')}`)
}

export const toFilter = (given: Filters) =>
  definedMembers(Object.fromEntries(filterNames.map((name) => [fields[name], given[name]])))
