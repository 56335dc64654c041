import { Global, Module } from '@nestjs/common'
import { EventsController } from './events.controller.ts'
import { EventsRepository } from './events.repository.ts'
import { EventsService } from './events.service.ts'

@Global()
@Module({
  controllers: [EventsController],
  providers: [EventsService, EventsRepository],
  exports: [EventsService],
})
export class EventsModule {}
