/** The value of a name that comes from elsewhere: an address, or a variable of a template. Undefined for none. */
export const ownValue = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined
