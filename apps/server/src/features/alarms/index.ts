export { createAlarmWriter } from './alarms.mqtt.ts'
export { mountAlarms } from './alarms.routes.ts'
export { type Alarms, createAlarms } from './alarms.service.ts'
