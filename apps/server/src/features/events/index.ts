export { createEventWriter } from './events.mqtt.ts'
export { mountEvents } from './events.routes.ts'
export { createEvents, type Events } from './events.service.ts'
