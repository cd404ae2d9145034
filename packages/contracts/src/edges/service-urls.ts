/** The variable with the base URL of a service: `payment-proxy` → `PAYMENT_PROXY_URL`. */
export type UrlVariable<Service extends string> = `${Screaming<Service>}_URL`

type Screaming<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Uppercase<First>}_${Screaming<Rest>}`
  : Uppercase<Name>

export const urlVariable = <Service extends string>(service: Service): UrlVariable<Service> =>
  `${service.replaceAll('-', '_').toUpperCase()}_URL` as UrlVariable<Service>
