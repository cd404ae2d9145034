import { expect, test } from '@jest/globals'
import { emailAddress } from '../src/grammar/email-address.ts'
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
])('rejects %s', (_, address) => {
  expect(emailAddress.safeParse(address).success).toBe(false)
})

test('reads a text of any length in linear time', () => {
  const hostile = ['@', 'a@', '.', 'xn--', 'é', '\u0301'].map((part) => part.repeat(250_000 / part.length))
  const begin = performance.now()
  for (const text of hostile) expect(emailAddress.safeParse(text).success).toBe(false)
  expect(performance.now() - begin).toBeLessThan(1_000)
})
