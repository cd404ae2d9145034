export const channelNames = { EMAIL: 'Email', SMS: 'SMS' } as const

export const channelOptions = Object.entries(channelNames).map(([value, label]) => ({ value, label }))
