import { expect, test } from '@jest/globals'
import { emailAddress, emailAddressKey } from '../src/grammar/email-address.ts'
import { isRecipient } from '../src/nouns/communication-text.ts'

const bytes = (count: number) => 'a'.repeat(count)

test.each([
  'name@example.com',
  'a@b.co',
  "o'neil+tag@mail.example.com",
  'sales&service@example.com',
  'user/department=x@example.com',
  '!#$%&*+/=?^_`{|}~-@example.com',
  '.dot..dot.@docomo.ne.jp',
  'user@xn--e1afmkfd.xn--p1ai',
  'user@bücher.example',
  'почта@пример.рф',
  '用户@例え.テスト',
  'user@example.technology',
  'user@1.2.example.com',
  `${bytes(64)}@${bytes(63)}.${bytes(63)}.example`,
])('takes %s', (address) => {
  expect(emailAddress.parse(address)).toBe(address)
  expect(isRecipient('EMAIL', address)).toBe(true)
})

test.each([
  ['nothing', ''],
  ['no mailbox', '@example.com'],
  ['no domain', 'name@'],
  ['no at', 'example.com'],
  ['two', 'a@b.co,c@d.co'],
  ['two ats', 'a@b@example.com'],
  ['a display name', 'Ann <ann@example.com>'],
  ['a group', 'team:a@example.com;'],
  ['a line break at the end', 'name@example.com\n'],
  ['a header', 'name@example.com\r\nBcc: other@example.com'],
  ['a line break of Unicode', 'na\u2028me@example.com'],
  ['a NUL', 'na\0me@example.com'],
  ['white space', 'na me@example.com'],
  ['an invisible character', 'na\u200bme@example.com'],
  ['a character that turns the text', 'na\u202eme@example.com'],
  ['half a surrogate pair', 'na\ud83dme@example.com'],
  ['a quoted mailbox', '"a b"@example.com'],
  ['a comment', 'name(comment)@example.com'],
  ['a domain without a dot', 'root@localhost'],
  ['an address of a machine', 'root@[192.0.2.1]'],
  ['an address of a machine without brackets', 'root@192.0.2.1'],
  ['an empty label', 'name@example..com'],
  ['a dot at the end', 'name@example.com.'],
  ['a hyphen at the end of a label', 'name@example-.com'],
  ['a mailbox of 65 bytes', `${'é'.repeat(32)}a@example.com`],
  ['a label of 64 bytes', `name@${bytes(64)}.com`],
  ['an escape in the domain', 'name@ex%61mple.com'],
  ['an escape in a domain of another script', 'name@b\u00fc%63her.example'],
])('rejects %s', (_, address) => {
  expect(emailAddress.safeParse(address).success).toBe(false)
})

test.each([
  ['Name+Tag@Example.COM', 'name+tag@example.com'],
  ['ÄNNE@BÜCHER.example', 'Änne@xn--bcher-kva.example'],
  ['Änne@XN--BCHER-KVA.example', 'Änne@xn--bcher-kva.example'],
  ['Änne@ＢÜCHER。example', 'Änne@xn--bcher-kva.example'],
  ['änne@bu\u0308cher.example', 'änne@xn--bcher-kva.example'],
  ['kate@\u212aelvin.example', 'kate@kelvin.example'],
  ['\u212aate@example.com', '\u212aate@example.com'],
  ['\u0130@straße.example', '\u0130@xn--strae-oqa.example'],
  ['name@ex%61mple.com', 'name@ex%61mple.com'],
  ['name@bü cher', 'name@bü cher'],
  ['Name', 'name'],
])('the key of %s is %s, and its own key', (address, key) => {
  expect([emailAddressKey(address), emailAddressKey(key)]).toEqual([key, key])
})

test('reads a text of any length in linear time', () => {
  const hostile = ['@', 'a@', '.', 'xn--', 'é', '\u0301'].map((part) => part.repeat(250_000 / part.length))
  const begin = performance.now()
  for (const text of hostile) expect(emailAddress.safeParse(text).success).toBe(false)
  expect(performance.now() - begin).toBeLessThan(1_000)
})
