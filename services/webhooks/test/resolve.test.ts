import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type DnsServer, dnsServer } from '@payments/testing/dns-server'
import { type Receiver, receiver } from '@payments/testing/receiver'
import { createDestinations } from '../src/egress/destinations.ts'
import { lookupThrough } from '../src/egress/resolve.ts'
import { createSender } from '../src/egress/send.ts'

/** What a name leads to, as a resolver of our own says, over UDP. */
let dns: DnsServer
let endpoint: Receiver
const closes: (() => void)[] = []
beforeEach(async () => {
  ;[dns, endpoint] = await Promise.all([dnsServer(), receiver()])
})
afterEach(async () => {
  for (const close of closes.splice(0)) close()
  await Promise.all([dns.close(), endpoint.close()])
})

const six = '2606:4700:0:0:0:0:0:1111'

function senderOf({ allowPrivate }: { allowPrivate: boolean }) {
  const lookup = lookupThrough([dns.address])
  const limits = { totalTimeoutMs: 1_000 }
  const { send, close } = createSender({ allowPrivate, lookup, stop: new AbortController().signal, limits })
  closes.push(close)
  return (url: string) => send({ url, headers: {}, body: Buffer.from('{}') })
}

const destinations = () => createDestinations({ allowPrivate: false, lookup: lookupThrough([dns.address]) })

describe('a look-up', () => {
  test('finds the addresses of both families, and of one where there is only one', async () => {
    dns.setAddresses('both.test', ['8.8.8.8', '8.8.4.4', six])
    dns.setAddresses('four.test', ['8.8.8.8'])
    dns.setAddresses('six.test', [six])
    const lookup = lookupThrough([dns.address])
    expect((await lookup('both.test')).sort()).toEqual(['2606:4700::1111', '8.8.4.4', '8.8.8.8'])
    expect(await lookup('four.test')).toEqual(['8.8.8.8'])
    expect(await lookup('six.test')).toEqual(['2606:4700::1111'])
  })

  test('of a name that does not exist is a DNS failure, and one that is not answered a timeout', async () => {
    const send = senderOf({ allowPrivate: true })
    expect(await send('http://nowhere.test/')).toMatchObject({ errorKind: 'dns' })
    dns.setAddresses('silent.test')
    expect(await send('http://silent.test/')).toMatchObject({ errorKind: 'timeout' })
  })
})

describe('a destination that is to be stored', () => {
  test.each([
    '10.0.0.7',
    '127.0.0.1',
    '169.254.169.254',
    'fd00:0:0:0:0:0:0:7',
    '64:ff9b:0:0:0:0:7f00:1',
    '2002:7f00:1:0:0:0:0:1',
  ])('is refused where one of its addresses is %s, and the refusal does not name it', async (address) => {
    dns.setAddresses('hook.example.com', ['8.8.8.8', six, address])
    const refusal = await destinations().refusalOf('https://hook.example.com/')
    expect(refusal).toBe('the host leads to an address that is not public')
  })

  test('is taken where all are public, and where the name does not resolve yet', async () => {
    dns.setAddresses('hook.example.com', ['8.8.8.8', six])
    expect(await destinations().refusalOf('https://hook.example.com/')).toBeUndefined()
    expect(await destinations().refusalOf('https://nowhere.example.com/')).toBeUndefined()
  })
})

describe('DNS that flips', () => {
  test('from public to private after the destination was stored: the attempt is refused, and asks nobody', async () => {
    dns.setAddresses('hook.example.com', ['8.8.8.8'])
    expect(await destinations().refusalOf('https://hook.example.com/')).toBeUndefined()
    dns.setAddresses('hook.example.com', ['127.0.0.1'])
    const outcome = await senderOf({ allowPrivate: false })('https://hook.example.com/')
    expect(outcome).toMatchObject({
      errorKind: 'blocked_address',
      errorDetail: 'the host leads to an address that is not public',
    })
  })

  test('between the look-up and the connection: the connection goes to the address that was judged', async () => {
    const { port } = new URL(endpoint.url)
    const trapped: string[] = []
    const trap = createServer((request, response) => {
      trapped.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => trap.listen(Number(port), '127.0.0.2', resolve))
    closes.push(() => trap.close())
    dns.setAddresses('hook.test', ['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2'])
    expect((await senderOf({ allowPrivate: true })(`http://hook.test:${port}/`)).errorKind).toBeNull()
    expect(dns.queries.map(({ type }) => type).sort()).toEqual(['A', 'AAAA'])
    expect([endpoint.received.length, trapped]).toEqual([1, []])
    // The trap is real: who looks up anew falls into it.
    expect((await senderOf({ allowPrivate: true })(`http://hook.test:${port}/`)).errorKind).toBeNull()
    expect(trapped).toEqual(['/'])
  })
})
