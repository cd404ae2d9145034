import { randomUUID } from 'node:crypto'
import { describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { localProvider } from '../src/local-provider.ts'
import { type Binding, createVault } from '../src/vault.ts'
import { VaultError } from '../src/vault-error.ts'
import { createRing, memoryStore } from './stores.ts'

function setUp(cachedMax = 100) {
  const keys = createRing('a', 'b')
  const store = memoryStore()
  const provider = localProvider({ keys, current: 'a' })
  return { keys, store, provider, vault: createVault({ provider, dataKeys: store, cachedMax }) }
}

const binding = (changes: Partial<Binding> = {}): Binding => ({
  purpose: 'test.secret',
  tenantId: '0190aaaa-0000-7000-8000-000000000001',
  recordId: '0190aaaa-0000-7000-8000-000000000002',
  ...changes,
})

const secrets = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' })

describe('encrypt and decrypt', () => {
  test('decrypts any secret, and the stored bytes do not contain the plaintext', async () => {
    const { vault } = setUp()
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const encrypted = await vault.encrypt(binding(), secret)
        expect(await vault.decrypt(binding(), encrypted)).toBe(secret)
        if (secret.length > 8) expect(Buffer.from(encrypted).includes(secret)).toBe(false)
      }),
    )
  })

  test('encrypts the same secret differently each time', async () => {
    const { vault } = setUp()
    const encrypted = await Promise.all(Array.from({ length: 20 }, () => vault.encrypt(binding(), 'same')))
    expect(new Set(encrypted.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(20)
  })

  test.each([
    ['another purpose', { purpose: 'test.other' }],
    ['another record', { recordId: randomUUID() }],
    ['another tenant', { tenantId: randomUUID() }],
  ])('rejects bytes of %s', async (_, changes) => {
    const { vault } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    await vault.encrypt(binding(changes), 'theirs')
    await expect(vault.decrypt(binding(changes), encrypted)).rejects.toThrow(VaultError)
  })

  test("rejects bytes of another tenant, even with a copy of the data key's row under this tenant", async () => {
    const { vault, store } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    const [row] = store.rows
    const thief = randomUUID()
    if (row !== undefined) store.rows.push({ ...row, tenantId: thief })
    await expect(vault.decrypt(binding({ tenantId: thief }), encrypted)).rejects.toThrow('does not authenticate')
  })

  test('binds a secret to its tenant, even with a provider that unwraps a data key for any tenant', async () => {
    const { store, provider } = setUp()
    const noTenant = { tenantId: '', dataKeyId: '' }
    const lax = {
      ...provider,
      generate: () => provider.generate(noTenant),
      wrap: (key: Buffer) => provider.wrap(key, noTenant),
      unwrap: (kekId: string, wrapped: Uint8Array) => provider.unwrap(kekId, wrapped, noTenant),
    }
    const vault = createVault({ provider: lax, dataKeys: store })
    const encrypted = await vault.encrypt(binding(), 'secret')
    const thief = randomUUID()
    store.rows.push(...store.rows.map((row) => ({ ...row, tenantId: thief })))
    expect(await vault.decrypt(binding(), encrypted)).toBe('secret')
    await expect(vault.decrypt(binding({ tenantId: thief }), encrypted)).rejects.toThrow('does not authenticate')
  })

  test('keeps the parts of a binding apart', async () => {
    const { vault } = setUp()
    const encrypted = await vault.encrypt(binding({ purpose: 'a","b', recordId: 'c' }), 'secret')
    await expect(vault.decrypt(binding({ purpose: 'a', recordId: 'b","c' }), encrypted)).rejects.toThrow(VaultError)
  })

  test('rejects a flipped bit anywhere, in the version and the key id too', async () => {
    const { vault } = setUp()
    const encrypted = await vault.encrypt(binding(), 'a secret of some length')
    await fc.assert(
      fc.asyncProperty(fc.nat(encrypted.length - 1), fc.nat(7), async (at, bit) => {
        const flipped = Buffer.from(encrypted)
        flipped[at] = flipped.readUInt8(at) ^ (1 << bit)
        await expect(vault.decrypt(binding(), flipped)).rejects.toThrow(VaultError)
      }),
      { numRuns: 300 },
    )
  })

  test('rejects truncated, extended and empty bytes', async () => {
    const { vault } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    for (let length = 0; length < encrypted.length; length += 1) {
      await expect(vault.decrypt(binding(), encrypted.subarray(0, length))).rejects.toThrow(VaultError)
    }
    await expect(vault.decrypt(binding(), Buffer.concat([encrypted, Buffer.from([0])]))).rejects.toThrow(VaultError)
  })

  test('zeroes an unwrapped data key also when a rewrap fails', async () => {
    const { keys, store, vault } = setUp()
    await vault.encrypt(binding(), 'secret')
    const unwrapped: Buffer[] = []
    const own = localProvider({ keys, current: 'b' })
    const provider = {
      ...own,
      async unwrap(...given: Parameters<typeof own.unwrap>) {
        const raw = await own.unwrap(...given)
        unwrapped.push(raw)
        return raw
      },
      wrap: () => Promise.reject(new Error('away')),
    }
    const rewrap = createVault({ provider, dataKeys: store }).rewrap(store.rows[0] as never)
    await expect(rewrap).rejects.toThrow('away')
    expect(unwrapped).toEqual([Buffer.alloc(32)])
  })

  test('counts failed decryptions of secrets and data keys, and no failure of the database', async () => {
    const { store, provider } = setUp()
    const metrics = { decryptionFailed: jest.fn(), kmsRequested: jest.fn() }
    const vault = createVault({ provider, dataKeys: store, metrics })
    const encrypted = await vault.encrypt(binding(), 'secret')
    expect(await vault.decrypt(binding(), encrypted)).toBe('secret')
    await expect(vault.decrypt(binding(), encrypted.subarray(1))).rejects.toThrow(VaultError)
    await expect(vault.decrypt(binding({ recordId: randomUUID() }), encrypted)).rejects.toThrow(VaultError)
    expect(metrics.decryptionFailed).toHaveBeenCalledTimes(2)
    const stranger = createVault({
      provider: localProvider({ keys: createRing('z'), current: 'z' }),
      dataKeys: store,
      metrics,
    })
    await expect(stranger.rewrap(store.rows[0] as never)).rejects.toThrow(VaultError)
    expect(metrics.decryptionFailed).toHaveBeenCalledTimes(3)
    const unreachable = { ...store, find: () => Promise.reject(new Error('unreachable')) }
    await expect(
      createVault({ provider, dataKeys: unreachable, metrics }).decrypt(binding(), encrypted),
    ).rejects.toThrow('unreachable')
    expect(metrics.decryptionFailed).toHaveBeenCalledTimes(3)
  })

  test.each([
    ['empty', ''],
    ['larger than 64 KiB', 'x'.repeat(64 * 1024 + 1)],
    ['not well-formed', 'a\ud800'],
  ])('refuses to encrypt a secret that is %s', async (_, secret) => {
    await expect(setUp().vault.encrypt(binding(), secret)).rejects.toThrow(VaultError)
  })
})

describe('data keys', () => {
  test('belong to one tenant each, wrapped with the current key-encryption key', async () => {
    const { vault, store } = setUp()
    const tenants = [randomUUID(), randomUUID()]
    for (const tenantId of tenants) {
      await vault.encrypt(binding({ tenantId }), 'one')
      await vault.encrypt(binding({ tenantId }), 'two')
    }
    expect(store.rows.map(({ tenantId, kekId }) => ({ tenantId, kekId }))).toEqual(
      tenants.map((tenantId) => ({ tenantId, kekId: 'a' })),
    )
  })

  test('are the same for concurrent first uses in two processes', async () => {
    const { provider, store, vault } = setUp()
    const other = createVault({ provider, dataKeys: store })
    const encrypted = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? vault : other).encrypt(binding(), `secret ${i}`)),
    )
    expect(store.rows).toHaveLength(1)
    const fresh = createVault({ provider, dataKeys: store })
    for (const [i, bytes] of encrypted.entries()) expect(await fresh.decrypt(binding(), bytes)).toBe(`secret ${i}`)
  })

  test('are replaced by one newer key for concurrent calls, and both keys decrypt', async () => {
    const { vault, store, provider } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    const since = new Date(Date.now() + 60_000)
    const other = createVault({ provider, dataKeys: store })
    const reencrypted = await Promise.all(
      [vault, other, vault, other].map((one) => one.reencrypt(binding(), encrypted, since)),
    )
    expect(store.rows).toHaveLength(2)
    expect(store.rows[1]?.createdAt.getTime()).toBeGreaterThanOrEqual(since.getTime())
    const readKeyId = (bytes: Uint8Array) => Buffer.from(bytes.subarray(1, 17)).toString('hex')
    expect(new Set(reencrypted.map(readKeyId))).toEqual(new Set([store.rows[1]?.id.replaceAll('-', '')]))
    for (const bytes of [encrypted, ...reencrypted]) expect(await vault.decrypt(binding(), bytes)).toBe('secret')
    expect(readKeyId(await vault.encrypt(binding(), 'next'))).toBe(readKeyId(reencrypted[0] ?? encrypted))
    await expect(vault.reencrypt(binding({ recordId: randomUUID() }), encrypted, since)).rejects.toThrow(VaultError)
  })

  test('are unwrapped once and cached: later calls use neither store nor provider', async () => {
    const { vault, store } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    const before = { ...store.calls }
    await Promise.all(Array.from({ length: 20 }, () => vault.decrypt(binding(), encrypted)))
    await vault.encrypt(binding(), 'another')
    expect(store.calls).toEqual(before)
  })

  test('are cached up to `cachedMax`', async () => {
    const { vault, store } = setUp(3)
    const tenants = Array.from({ length: 5 }, () => randomUUID())
    const encrypted = []
    for (const tenantId of tenants) encrypted.push(await vault.encrypt(binding({ tenantId }), tenantId))
    const opened = []
    for (const [i, tenantId] of tenants.entries()) {
      opened.push(await vault.decrypt(binding({ tenantId }), encrypted[i] ?? new Uint8Array()))
    }
    expect(opened).toEqual(tenants)
    expect(store.calls.find).toBe(5)
  })

  test('are loaded again after a failed load', async () => {
    const { vault, store, provider } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    const rows = store.rows.splice(0)
    const fresh = createVault({ provider, dataKeys: store })
    await expect(fresh.decrypt(binding(), encrypted)).rejects.toThrow('no data key')
    store.rows.push(...rows)
    expect(await fresh.decrypt(binding(), encrypted)).toBe('secret')
  })
})

describe('key-encryption keys', () => {
  test('do not unwrap with another key of the same id', async () => {
    const { vault, store } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    const stranger = createVault({
      provider: localProvider({ keys: createRing('a'), current: 'a' }),
      dataKeys: store,
    })
    await expect(stranger.decrypt(binding(), encrypted)).rejects.toThrow(VaultError)
  })

  test('unwrap a data key for its tenant and its id only', async () => {
    const { provider } = setUp()
    const own = { tenantId: randomUUID(), dataKeyId: randomUUID() }
    const { kekId, wrapped } = await provider.wrap(Buffer.alloc(32, 1), own)
    expect(await provider.unwrap(kekId, wrapped, own)).toEqual(Buffer.alloc(32, 1))
    for (const other of [{ tenantId: randomUUID() }, { dataKeyId: randomUUID() }]) {
      await expect(provider.unwrap(kekId, wrapped, { ...own, ...other })).rejects.toThrow(VaultError)
    }
  })

  test('can be removed after a rewrap: the rewrapped data key decrypts without the previous one', async () => {
    const { keys, vault, store } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    const rotated = createVault({ provider: localProvider({ keys, current: 'b' }), dataKeys: store })
    const rewrapped = await Promise.all(store.rows.map((row) => rotated.rewrap(row)))
    expect(rewrapped.map((row) => row.kekId)).toEqual(['b'])
    expect(await rotated.rewrap(rewrapped[0] as never)).toBe(rewrapped[0])
    store.rows.splice(0, store.rows.length, ...rewrapped)
    const onlyB = new Map([...keys].filter(([id]) => id === 'b'))
    const later = createVault({ provider: localProvider({ keys: onlyB, current: 'b' }), dataKeys: store })
    expect(await later.decrypt(binding(), encrypted)).toBe('secret')
  })

  test('are named in the error when the ring lacks one', async () => {
    const { store, vault } = setUp()
    const encrypted = await vault.encrypt(binding(), 'secret')
    const other = createVault({ provider: localProvider({ keys: createRing('c'), current: 'c' }), dataKeys: store })
    await expect(other.decrypt(binding(), encrypted)).rejects.toThrow('no key-encryption key a')
  })

  test('are rejected at start when the current one is not on the ring', () => {
    expect(() => localProvider({ keys: createRing('a'), current: 'z' })).toThrow(VaultError)
  })
})
