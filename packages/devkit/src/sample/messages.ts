import { inBatches, type Shop } from './shop.ts'

const template = {
  name: 'Order ready',
  communication_type: 'EMAIL',
  subject: 'Your order {{order}} is ready',
  text: 'Dear {{name}},\n\nyour order {{order}} is ready at our counter until Saturday.\n\nJuniper Coffee',
  html: '<p>Dear {{name}},</p><p>your order <b>{{order}}</b> is ready at our counter until Saturday.</p>',
  variables: [
    { name: 'name', required: true },
    { name: 'order', required: true },
  ],
} as const

const recipients = [
  { name: 'Mara Lindqvist', email: 'mara@example.com' },
  { name: 'Tomás Ruiz', email: 'tomas@example.com' },
  { name: 'Aiko Tanaka', email: 'aiko@example.com' },
] as const

/** A template of the business unit with two versions, and messages that were rendered from the first. */
export async function writeMessages({ client, unitId, once }: Shop): Promise<void> {
  const { variables, ...rest } = template
  const body = { ...rest, business_unit_id: unitId, variables: [...variables] }
  const { id } = await client.createTemplate({ body }, once('template'))
  await inBatches(recipients, ({ name, email }, index) =>
    client.sendCommunication(
      {
        body: {
          business_unit_id: unitId,
          communication_type: 'EMAIL',
          template_id: id,
          recipient: email,
          variables: { name, order: `order-${4_701 + index}` },
        },
      },
      once(`message ${name}`),
    ),
  )
  // Each update adds a version.
  const { version } = await client.readTemplate({ template_id: id })
  if (version > 1) return
  const text = `${template.text}\nMonday to Saturday, 8 to 18 h`
  await client.updateTemplate({ template_id: id, body: { text } })
}
