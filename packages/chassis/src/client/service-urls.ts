import { type UrlVariable, urlVariable } from '@payments/contracts/edges/service-urls'
import { z } from 'zod'
import { assertionKeys } from '../assertion/assertion.ts'
import { json } from '../base/config.ts'

/** Variables of a process that calls services: the base URL of each. `url`: the schema of one. */
export function serviceUrlsConfig<Service extends string, Url extends z.ZodType>(
  services: readonly Service[],
  url: Url,
): Record<UrlVariable<Service>, Url> {
  const entries = services.map((service) => [urlVariable(service), url.describe(`Base URL of ${service}`)])
  return Object.fromEntries(entries) as Record<UrlVariable<Service>, Url>
}

/** The variable of a process that calls services. */
export const signKeysConfig = {
  ASSERTION_SIGN_KEYS: json(assertionKeys).describe(
    'Keys that sign internal assertions to each service. JSON: {service: base64 key of 32 bytes}',
  ),
}
