export { createEventWriter } from './events.mqtt.ts'
