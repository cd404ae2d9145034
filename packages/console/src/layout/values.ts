import { useState } from 'react'

/** The values of a form, and a function that changes a part of them. */
export function useValues<Values extends object>(initial: Values | (() => Values)) {
  const [values, setValues] = useState(initial)
  return [values, (part: Partial<Values>) => setValues((before) => ({ ...before, ...part }))] as const
}

interface Binding<Value> {
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly error: string | undefined
}

/** Binds a field of a form to the value with this name. Default of the pointer of its error: `/` and the name. */
export type Bind<Values> = <Name extends keyof Values & string>(name: Name, pointer?: string) => Binding<Values[Name]>

export const bindTo =
  <Values extends object>(
    values: Values,
    onChange: (part: Partial<Values>) => void,
    fieldError: (pointer: string) => string | undefined,
  ): Bind<Values> =>
  (name, pointer = `/${name}`) => ({
    value: values[name],
    onChange: (value) => onChange({ [name]: value } as unknown as Partial<Values>),
    error: fieldError(pointer),
  })
