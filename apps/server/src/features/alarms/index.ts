export { createAlarmWriter } from './alarms.mqtt.ts'
