export { mountDevices } from './devices.routes.ts'
export { hashSecret, makeSecret } from './devices.secrets.ts'
export { createDevices, type Devices } from './devices.service.ts'
