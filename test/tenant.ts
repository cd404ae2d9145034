import { randomUUID } from 'node:crypto'
import { loadConfig } from '@payments/chassis/base/config'
import { onboard as onboardTenant } from '@payments/payctl/commands/tenant'
import { environment } from '@payments/payctl/config'
import { connectServices } from '@payments/payctl/services'
import type { Platform } from '@payments/testing/platform/local-stack'
import { type Printed, runPayctl } from '../packages/payctl/test/run-payctl.ts'

export interface TenantResponse {
  status: number
  /** Read as a tenant's script would read it. */
  body: any
  headers: Headers
}

/** payctl in the process of the test; `platform.payctl` starts it. */
export const callPayctl = ({ payctlEnv }: Pick<Platform, 'payctlEnv'>, ...args: string[]): Promise<Printed> =>
  runPayctl(args, { env: payctlEnv })

export interface Onboarded {
  tenant_id: string
  business_unit_id: string
  payment_orchestrator_id: string
  roles: { id: string; name: string }[]
  api_key: { id: string; value: string }
}

/** Onboards a tenant with the code of `payctl tenant create`, in the process of the test. */
export async function onboard({ payctlEnv }: Platform, name: string): Promise<Onboarded> {
  const services = connectServices(loadConfig(environment, payctlEnv))
  const deadlineAt = Date.now() + onboardTimeoutMs
  for (;;) {
    try {
      return (await onboardTenant(services, { name, adminEmail: undefined, printLink: undefined })) as Onboarded
    } catch (error) {
      // A busy machine can exceed the time-out of a call between services. Repeating creates another tenant.
      if (!String(error).includes('service_unavailable') || Date.now() > deadlineAt) throw error
    }
  }
}

const onboardTimeoutMs = 60_000

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<TenantResponse>

/** Calls the gateway as a tenant's developer does. `tenantId` null: no Tenant-ID header, as with a JWT. */
export function createCaller(
  platform: Platform,
  credential: string,
  tenantId: string | null,
  timeoutMs = 20_000,
): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(platform.gatewayUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${credential}`,
        'trace-id': randomUUID(),
        ...(tenantId === null ? {} : { 'tenant-id': tenantId }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: text === '' ? {} : JSON.parse(text),
      headers: response.headers,
    } as TenantResponse
  }
}
