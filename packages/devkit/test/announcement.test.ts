import { expect, test } from '@jest/globals'
import { announcement } from '@payments/devkit/platform/announcement'

const demo = {
  tenant_id: '01900000-0000-7000-8000-000000000001',
  business_unit_id: '01900000-0000-7000-8000-000000000002',
  payment_orchestrator_id: '01900000-0000-7000-8000-000000000003',
  api_key: { id: '01900000-0000-7000-8000-000000000004', value: 'psk_dev_example' },
}

test('npm start says where the gateway, the console and the documentation are, on the port in use', () => {
  const text = announcement({ gatewayUrl: 'http://127.0.0.1:9999', demo }, 12_345)
  expect(text).toMatch(/Gateway +http:\/\/127\.0\.0\.1:9999\n/)
  expect(text).toMatch(/Console +http:\/\/127\.0\.0\.1:9999\/console +\(sign in as ada, dev or viv\)\n/)
  expect(text).toMatch(/Documentation +http:\/\/127\.0\.0\.1:9999\/docs\n/)
  expect(text).toContain('export KEY=psk_dev_example')
  expect(text.match(/https?:\/\/[^/\s']+/g)?.every((origin) => origin === 'http://127.0.0.1:9999')).toBe(true)
})
