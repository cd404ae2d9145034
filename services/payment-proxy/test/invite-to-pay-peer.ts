import { createSecretKey, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { client } from '@payments/chassis/client/client'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, stopServer } from '@payments/chassis/process/serve'
import { createServiceApp } from '@payments/chassis/request/app'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { Problem } from '@payments/contracts/grammar/problem'
import { type CodeWithLink, inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'

type Check = RequestOf<typeof inviteToPay.endpoints.checkInvitation>
type Resend = RequestOf<typeof inviteToPay.endpoints.resendCode>

/** Listens, and responds to payment-proxy as invite-to-pay does. Accepts everything but the calls of `rejecting`. */
export async function inviteToPayPeer() {
  const { checkInvitation, resendCode } = inviteToPay.endpoints
  const contract = { ...inviteToPay, endpoints: { checkInvitation, resendCode } }
  const { service } = inviteToPay
  const key = createSecretKey(randomBytes(32))
  const rejections = new Map<string, Problem>()
  const [checks, resends]: [Check[], Resend[]] = [[], []]
  const accept = <R extends Check | Resend>(calls: R[], call: R) => {
    calls.push(call)
    const rejection = rejections.get(call.params.tenant_id)
    if (rejection !== undefined) throw rejection
  }
  const handlers = {
    checkInvitation: async (_: unknown, call: Check) => {
      accept(checks, call)
      return undefined
    },
    resendCode: async (_: unknown, call: Resend): Promise<CodeWithLink> => {
      accept(resends, call)
      return { ...exampleCode, transaction_id: call.params.transaction_id }
    },
  }
  const app = createServiceApp({
    contract,
    handlers,
    keys: keysOfEveryProcess(key),
    operatorCalls: { begin: notAnOperator, complete: notAnOperator },
    log: createLog(service, 'silent'),
    metrics: createMetrics(service),
    readiness: { required: {} },
  })
  const server = createAppServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const createClient = (port: number) =>
    client(inviteToPay, {
      self: 'payment-proxy',
      baseUrl: `http://127.0.0.1:${port}`,
      keys: new Map([[service, key]]),
      timeoutMs: 20_000,
    })
  const of = (tenantId: string) => (call: Check | Resend) => call.params.tenant_id === tenantId
  return {
    client: createClient((server.address() as AddressInfo).port),
    /** The client of a process that cannot reach invite-to-pay. */
    unreachable: createClient(1),
    /** From now on, every call about the tenant gets the problem. */
    rejecting: (tenantId: string, problem: Problem) => rejections.set(tenantId, problem),
    accepting: (tenantId: string) => rejections.delete(tenantId),
    findChecks: (tenantId: string) => checks.filter(of(tenantId)).map(({ body }) => body),
    /** The ids of the messages, once per call. */
    findResends: (tenantId: string) => resends.filter(of(tenantId)).map(({ body }) => body.resend_id),
    stop: () => stopServer(server, 0),
  }
}

const exampleCode: CodeWithLink = {
  ...inviteToPay.events['invite-to-pay.codes.create'].example.code,
  url: 'https://pay.example/pay/code',
}

function notAnOperator(): never {
  throw new Error('no operator calls this endpoint')
}
