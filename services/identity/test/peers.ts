import { createSecretKey, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { newId } from '@payments/chassis/base/id'
import { client } from '@payments/chassis/client/client'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, stopServer } from '@payments/chassis/process/serve'
import { createServiceApp } from '@payments/chassis/request/app'
import type { Handlers } from '@payments/chassis/request/router'
import type { Contract, RequestOf } from '@payments/contracts/grammar/contract'
import type { Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { serviceWorld } from '@payments/testing/services/service-world'
import { createApp as createRbac } from '../../rbac/src/app.ts'
import { openDatabase as openRbacDatabase } from '../../rbac/src/store/database.ts'
import { insertRoles, markDeleting } from '../../rbac/src/store/roles.ts'

/** Serves some endpoints of a contract on a real port, as another service does. */
async function serve<C extends Contract>(contract: C, handlers: Handlers<C>) {
  const key = createSecretKey(randomBytes(32))
  const unreachable = (): never => {
    throw new Error('no operator calls this endpoint')
  }
  const app = createServiceApp({
    contract,
    handlers,
    keys: keysOfEveryProcess(key),
    operatorCalls: { begin: unreachable, complete: unreachable },
    log: createLog(contract.service, 'silent'),
    metrics: createMetrics(contract.service),
    readiness: { required: {} },
  })
  const server = createAppServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const edge = { self: 'identity', baseUrl, keys: new Map([[contract.service, key]]), timeoutMs: 20_000 } as const
  return { edge, stop: () => stopServer(server, 0) }
}

type Mail = RequestOf<typeof communicationContract.endpoints.queueUserInvitation>['body']

/** Takes the mails of user invitations, as communication does. */
export async function communicationPeer() {
  const { queueUserInvitation } = communicationContract.endpoints
  const mails: Mail[] = []
  const state = { isDown: false, isRejecting: false }
  const peer = await serve(
    { ...communicationContract, endpoints: { queueUserInvitation } },
    {
      queueUserInvitation: async (_, { body }) => {
        if (state.isDown) throw new Error('down')
        if (state.isRejecting) throw new Problem(commonProblems.invalid_request)
        mails.push(body)
        return { id: body.message_id }
      },
    },
  )
  return { client: client(communicationContract, peer.edge), mails, state, stop: peer.stop }
}

/** Knows the names of some API keys, as api-key does. */
export async function apiKeyPeer() {
  const { readKeyRoles } = apiKey.endpoints
  const names = new Map<string, string>()
  const peer = await serve(
    { ...apiKey, endpoints: { readKeyRoles } },
    { readKeyRoles: async (_, { params }) => ({ name: names.get(params.api_key_id) ?? null, role_ids: [] }) },
  )
  return { client: client(apiKey, peer.edge), names, stop: peer.stop }
}

/** A real rbac that listens, and the client of identity for it. */
export async function startRbac() {
  const service = await serviceWorld(rbacContract, openRbacDatabase)
  const { db, edgeKey } = service
  // Called only by changes of roles over HTTP, which no test here makes.
  const nowhere = { self: 'rbac', baseUrl: 'http://127.0.0.1:1', timeoutMs: 500 } as const
  const peers = {
    apiKey: client(apiKey, { ...nowhere, keys: new Map([['api-key', edgeKey]]) }),
    identity: client(identityContract, { ...nowhere, keys: new Map([['identity', edgeKey]]) }),
  }
  const server = createAppServer(createRbac({ ...service.deps, ...peers }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const to = { baseUrl, keys: new Map([['rbac', edgeKey]]), timeoutMs: 20_000 }
  return {
    client: client(rbacContract, { self: 'identity', ...to }),
    asPayctl: client(rbacContract, { self: 'payctl', operator: 'operator@example.com', ...to }),
    /** A custom role. */
    role: async (tenantId: string, permissions: readonly Permission[], name: string = newId()): Promise<string> => {
      const role = { name, description: '', kind: 'custom' as const, permissions: [...permissions] }
      const [created] = await db.inTenant(tenantId, (tx) => insertRoles(tx, tenantId, [{ id: newId(), ...role }]))
      return created?.id ?? ''
    },
    markDeleting: (tenantId: string, roleId: string) =>
      db.inTenant(tenantId, (tx) => markDeleting(tx, tenantId, roleId, 30)),
    stop: async () => {
      await stopServer(server, 0)
      await service.stop()
    },
  }
}
