import { listStoredAddresses, storedAddress } from '@payments/chassis/database/stored-address'
import { emailAddressKey } from '@payments/contracts/grammar/email-address'
import type { Tx } from './database.ts'

/** Across tenants: the spellings of an email address in the column `recipient` of a table. */
export async function listSpellings(
  tx: Tx,
  table: 'user_invitation_mails' | 'outbox_messages',
  address: string,
): Promise<string[]> {
  const key = emailAddressKey(address)
  const rows = await tx.$queryRawUnsafe<{ recipient: string }[]>(
    `SELECT DISTINCT recipient FROM ${table} WHERE ${storedAddress('recipient')} = ANY($1::text[])`,
    listStoredAddresses(key),
  )
  return rows.map(({ recipient }) => recipient).filter((one) => emailAddressKey(one) === key)
}
