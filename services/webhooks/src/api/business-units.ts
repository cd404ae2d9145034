import type { BusinessUnitCopies } from '@payments/business-unit-copies/copies'
import type { Caller } from '@payments/chassis/base/caller'
import type { Handlers } from '@payments/chassis/request/router'
import type { Endpoint, RequestOf } from '@payments/contracts/grammar/contract'
import { webhooks } from '@payments/contracts/services/webhooks/contract'

/** A handler of an endpoint below a business unit. */
type UnitHandler = (caller: Caller, request: RequestOf<Endpoint>) => Promise<unknown>

/**
 * Each endpoint with `{business_unit_id}` in its path first requires the business unit: an active one if its contract
 * declares business_unit_deleted. Before the verb, because a unit without a copy costs a call to business-unit.
 */
export function requireBusinessUnits(
  businessUnits: Pick<BusinessUnitCopies, 'find' | 'requireActive'>,
  handlers: Handlers<typeof webhooks>,
): Handlers<typeof webhooks> {
  const required = Object.entries<Endpoint>(webhooks.endpoints)
    .filter(([, { path }]) => path.includes('{business_unit_id}'))
    .map(([name, { problems = [] }]): [string, UnitHandler] => {
      const require = problems.includes('business_unit_deleted') ? businessUnits.requireActive : businessUnits.find
      const handler = handlers[name as keyof typeof handlers] as UnitHandler
      return [
        name,
        async (caller, request) => {
          await require(caller, (request.params as { business_unit_id: string }).business_unit_id)
          return handler(caller, request)
        },
      ]
    })
  return { ...handlers, ...(Object.fromEntries(required) as Partial<Handlers<typeof webhooks>>) }
}
