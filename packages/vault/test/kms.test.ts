import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type KmsStandIn, kmsStandIn } from '@payments/testing/peers/kms'
import { Registry } from 'prom-client'
import { type KeyEncryptionKeys, keyProvider } from '../src/key-provider.ts'
import { kmsKeys } from '../src/kms-keys.ts'
import { localKeys } from '../src/local-provider.ts'
import { type VaultMetrics, vaultMetrics } from '../src/metrics.ts'
import { createVault } from '../src/vault.ts'
import { VaultError } from '../src/vault-error.ts'
import { createRing, memoryStore } from './stores.ts'

let kms: KmsStandIn
const inherited = process.env
beforeAll(async () => {
  kms = await kmsStandIn()
})
beforeEach(() => {
  process.env = { ...inherited, ...kms.env }
  kms.become('available')
})
afterEach(() => {
  process.env = inherited
})
afterAll(() => kms.close())

const createBinding = (tenantId: string) => ({ purpose: 'test.secret', tenantId, recordId: tenantId })
const listOperations = (requests: KmsStandIn['requests']) => requests.map(({ operation }) => operation)
const operationsFrom = (from: number) => listOperations(kms.requests.slice(from))

/** For a machine that is busy with other tests. */
const patient = { timeoutMs: 60_000, attemptTimeoutMs: 20_000 }
const createProvider = (keys: ReadonlyMap<string, string>, current: string, options = {}) =>
  keyProvider({ keys: kmsKeys(keys, { ...patient, ...options }), current })

/** A vault with one key of KMS; `reopened` is another process on the same store. */
function setUp() {
  const arn = kms.createKey()
  const dataKeys = memoryStore()
  const registry = new Registry()
  const open = (metrics: VaultMetrics) => {
    const provider = createProvider(new Map([['kms', arn]]), 'kms', { metrics })
    return createVault({ provider, dataKeys, metrics })
  }
  const vault = open(vaultMetrics(registry))
  const reopened = () => open(vaultMetrics(new Registry()))
  const requests = async () => (await registry.getSingleMetric('vault_kms_requests_total')?.get())?.values ?? []
  return { arn, store: dataKeys, vault, reopened, requests, tenantId: randomUUID() }
}

const unavailable = { code: 'service_unavailable', status: 503, options: { retryAfterSeconds: 5 } }

describe('a key of AWS KMS', () => {
  test('wraps the data key of a tenant once, bound to tenant, data key and purpose', async () => {
    const { arn, store, vault, tenantId } = setUp()
    const from = kms.requests.length
    const encrypted = await vault.encrypt(createBinding(tenantId), 'secret')
    await vault.encrypt(createBinding(tenantId), 'another')
    expect(await vault.decrypt(createBinding(tenantId), encrypted)).toBe('secret')
    expect(operationsFrom(from)).toEqual(['GenerateDataKeyWithoutPlaintext', 'Decrypt'])
    const context = { purpose: 'data-key', tenant_id: tenantId, data_key_id: store.rows[0]?.id }
    for (const request of kms.requests.slice(from)) expect(request).toMatchObject({ keyId: arn, context })
    expect(store.rows.map(({ kekId }) => kekId)).toEqual(['kms'])
  })

  test('is requested in the region of its ARN', async () => {
    const arn = kms.createKey('us-gov-west-1')
    const [key] = kmsKeys(new Map([['kms', arn]]), patient).values()
    expect(await key?.generate({ tenantId: 'a', dataKeyId: 'b' })).toBeInstanceOf(Buffer)
  })

  test('does not unwrap a data key for another tenant, another id or with another key, or changed bytes', async () => {
    const provider = createProvider(new Map([kms.createKey(), kms.createKey()].map((arn, i) => [`k${i}`, arn])), 'k0')
    const own = { tenantId: randomUUID(), dataKeyId: randomUUID() }
    const { kekId, wrapped } = await provider.generate(own)
    expect(await provider.unwrap(kekId, wrapped, own)).toHaveLength(32)
    for (const other of [{ tenantId: randomUUID() }, { dataKeyId: randomUUID() }]) {
      await expect(provider.unwrap(kekId, wrapped, { ...own, ...other })).rejects.toThrow(VaultError)
    }
    await expect(provider.unwrap('k1', wrapped, own)).rejects.toThrow(VaultError)
    await expect(provider.unwrap(kekId, Buffer.concat([wrapped, Buffer.from([0])]), own)).rejects.toThrow(VaultError)
    await expect(provider.unwrap('k2', wrapped, own)).rejects.toThrow('no key-encryption key k2')
  })

  test('replaces a local key by a rewrap, and the local key can be removed', async () => {
    const ring = createRing('local')
    const store = memoryStore()
    const tenantId = randomUUID()
    const vaultWith = (keys: KeyEncryptionKeys['keys'], current: string) =>
      createVault({ provider: keyProvider({ keys, current }), dataKeys: store })
    const local = localKeys(ring)
    const remote = kmsKeys(new Map([['kms', kms.createKey()]]), patient)
    const encrypted = await vaultWith(local, 'local').encrypt(createBinding(tenantId), 'secret')
    const both = vaultWith(new Map([...local, ...remote]), 'kms')
    expect(await both.decrypt(createBinding(tenantId), encrypted)).toBe('secret')
    store.rows.splice(0, 1, await both.rewrap(store.rows[0] as never))
    expect(store.rows.map(({ kekId }) => kekId)).toEqual(['kms'])
    expect(await vaultWith(remote, 'kms').decrypt(createBinding(tenantId), encrypted)).toBe('secret')
  })
})

describe('while AWS KMS cannot be used', () => {
  test.each(['throttling', 'failing', 'away'] as const)(
    '(%s) a data key that is not cached is service_unavailable, and works again afterwards',
    async (state) => {
      const { vault, reopened, requests, tenantId } = setUp()
      const encrypted = await vault.encrypt(createBinding(tenantId), 'secret')
      const fresh = reopened()
      kms.become(state)
      await expect(fresh.decrypt(createBinding(tenantId), encrypted)).rejects.toMatchObject(unavailable)
      await expect(vault.encrypt(createBinding(randomUUID()), 'of a new tenant')).rejects.toMatchObject(unavailable)
      expect(await vault.decrypt(createBinding(tenantId), encrypted)).toBe('secret')
      kms.become('available')
      expect(await fresh.decrypt(createBinding(tenantId), encrypted)).toBe('secret')
      const failed = { value: 1, labels: { operation: 'generate', outcome: 'unavailable' } }
      expect(await requests()).toContainEqual(failed)
    },
  )

  test('a request is repeated at most twice, and is no failed decryption', async () => {
    const { vault, tenantId, store } = setUp()
    kms.become('failing')
    const from = kms.requests.length
    await expect(vault.encrypt(createBinding(tenantId), 'secret')).rejects.toMatchObject(unavailable)
    expect(new Set(operationsFrom(from))).toEqual(new Set(['GenerateDataKeyWithoutPlaintext']))
    expect([2, 3]).toContain(operationsFrom(from).length)
    expect(store.rows).toEqual([])
  })

  test('a request that gets no response ends at its time-out', async () => {
    const [key] = kmsKeys(new Map([['kms', kms.createKey()]]), { timeoutMs: 200 }).values()
    kms.become('silent')
    const generated = key?.generate({ tenantId: 'a', dataKeyId: 'b' })
    await expect(generated).rejects.toMatchObject(unavailable)
  })

  test('a disabled key and missing credentials are service_unavailable too', async () => {
    const { arn, vault, tenantId } = setUp()
    kms.disableKey(arn)
    await expect(vault.encrypt(createBinding(tenantId), 'secret')).rejects.toMatchObject(unavailable)
    kms.enableKey(arn)
    process.env['AWS_ACCESS_KEY_ID'] = 'AKIAUNKNOWN'
    await expect(setUp().vault.encrypt(createBinding(tenantId), 'secret')).rejects.toMatchObject(unavailable)
    expect(await vault.encrypt(createBinding(tenantId), 'secret')).toBeDefined()
  })
})

describe('the cache of data keys', () => {
  const lifeMs = 3_600_000
  /** One secret, and a vault whose clock the test sets. `operations`: those on its key, by this vault alone. */
  async function cached() {
    const clock = { now: 0 }
    const store = memoryStore()
    const arn = kms.createKey()
    const provider = createProvider(new Map([['kms', arn]]), 'kms', { cacheMsMax: lifeMs })
    const vault = createVault({ provider, dataKeys: store, now: () => clock.now })
    const binding = createBinding(randomUUID())
    const encrypted = await vault.encrypt(binding, 'secret')
    const from = kms.requests.length
    return {
      clock,
      decrypt: () => vault.decrypt(binding, encrypted),
      encrypt: () => vault.encrypt(binding, 'more'),
      operations: () => listOperations(kms.requests.slice(from).filter(({ keyId }) => keyId === arn)),
    }
  }

  test('has a data key for an hour at most', async () => {
    const { clock, decrypt, encrypt } = await cached()
    kms.become('away')
    clock.now = lifeMs - 1
    expect(await decrypt()).toBe('secret')
    clock.now = lifeMs
    await expect(decrypt()).rejects.toMatchObject(unavailable)
    await expect(encrypt()).rejects.toMatchObject(unavailable)
    kms.become('available')
    expect(await decrypt()).toBe('secret')
  })

  test('loads a key in use again after half an hour, so that a shorter outage is not noticed', async () => {
    const { clock, decrypt, operations } = await cached()
    clock.now = lifeMs / 2 - 1
    expect(await decrypt()).toBe('secret')
    expect(operations()).toEqual([])
    clock.now = lifeMs / 2
    await decrypt()
    const deadline = Date.now() + 60_000
    while (operations().length === 0 && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve))
    expect(operations()).toEqual(['Decrypt'])
  })
})

/** Opens a vault in a process of its own, from the compiled package. Returns the number of loaded files of the SDK. */
async function filesOfSdkWith(variables: Record<string, string>): Promise<number> {
  const dist = (name: string) => JSON.stringify(join(import.meta.dirname, '..', 'dist', name))
  const code = `
    import Module from 'node:module'
    import { Registry } from 'prom-client'
    import { z } from 'zod'
    import { vaultConfig, vaultConfigIsWhole } from ${dist('config.js')}
    import { openVault } from ${dist('open.js')}
    const config = z.object(vaultConfig).check(...vaultConfigIsWhole).parse(process.env)
    openVault(config, {}, new Registry())
    process.on('exit', () => console.log(Object.keys(Module._cache).filter((file) => file.includes('client-kms')).length))`
  const env = { PATH: process.env['PATH'], ...variables }
  const cwd = join(import.meta.dirname, '..')
  const { stdout } = await promisify(execFile)('node', ['--input-type=module', '-e', code], {
    env,
    cwd,
    timeout: 120_000,
  })
  return Number(stdout)
}

test('a process with local keys only does not load the SDK of AWS', async () => {
  const VAULT_KEYS = JSON.stringify({ k1: randomBytes(32).toString('base64') })
  const VAULT_KMS_KEYS = JSON.stringify({ kms: 'arn:aws:kms:eu-central-1:111122223333:key/one' })
  expect(await filesOfSdkWith({ VAULT_KEYS, VAULT_KEY_CURRENT: 'k1' })).toBe(0)
  expect(await filesOfSdkWith({ VAULT_KMS_KEYS, VAULT_KEY_CURRENT: 'kms' })).toBeGreaterThan(0)
}, 240_000)
