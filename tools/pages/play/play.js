// flatbuffers 25.2.10, https://github.com/google/flatbuffers, Apache-2.0
"use strict";var flatbuffers=(()=>{var b=(l,t)=>()=>(t||l((t={exports:{}}).exports,t),t.exports);var _=b(c=>{"use strict";Object.defineProperty(c,"__esModule",{value:!0});c.SIZE_PREFIX_LENGTH=c.FILE_IDENTIFIER_LENGTH=c.SIZEOF_INT=c.SIZEOF_SHORT=void 0;c.SIZEOF_SHORT=2;c.SIZEOF_INT=4;c.FILE_IDENTIFIER_LENGTH=4;c.SIZE_PREFIX_LENGTH=4});var y=b(o=>{"use strict";Object.defineProperty(o,"__esModule",{value:!0});o.isLittleEndian=o.float64=o.float32=o.int32=void 0;o.int32=new Int32Array(2);o.float32=new Float32Array(o.int32.buffer);o.float64=new Float64Array(o.int32.buffer);o.isLittleEndian=new Uint16Array(new Uint8Array([1,0]).buffer)[0]===1});var g=b(f=>{"use strict";Object.defineProperty(f,"__esModule",{value:!0});f.Encoding=void 0;var S;(function(l){l[l.UTF8_BYTES=1]="UTF8_BYTES",l[l.UTF16_STRING=2]="UTF16_STRING"})(S||(f.Encoding=S={}))});var T=b(E=>{"use strict";Object.defineProperty(E,"__esModule",{value:!0});E.ByteBuffer=void 0;var d=_(),n=y(),m=g(),w=class l{constructor(t){this.bytes_=t,this.position_=0,this.text_decoder_=new TextDecoder}static allocate(t){return new l(new Uint8Array(t))}clear(){this.position_=0}bytes(){return this.bytes_}position(){return this.position_}setPosition(t){this.position_=t}capacity(){return this.bytes_.length}readInt8(t){return this.readUint8(t)<<24>>24}readUint8(t){return this.bytes_[t]}readInt16(t){return this.readUint16(t)<<16>>16}readUint16(t){return this.bytes_[t]|this.bytes_[t+1]<<8}readInt32(t){return this.bytes_[t]|this.bytes_[t+1]<<8|this.bytes_[t+2]<<16|this.bytes_[t+3]<<24}readUint32(t){return this.readInt32(t)>>>0}readInt64(t){return BigInt.asIntN(64,BigInt(this.readUint32(t))+(BigInt(this.readUint32(t+4))<<BigInt(32)))}readUint64(t){return BigInt.asUintN(64,BigInt(this.readUint32(t))+(BigInt(this.readUint32(t+4))<<BigInt(32)))}readFloat32(t){return n.int32[0]=this.readInt32(t),n.float32[0]}readFloat64(t){return n.int32[n.isLittleEndian?0:1]=this.readInt32(t),n.int32[n.isLittleEndian?1:0]=this.readInt32(t+4),n.float64[0]}writeInt8(t,e){this.bytes_[t]=e}writeUint8(t,e){this.bytes_[t]=e}writeInt16(t,e){this.bytes_[t]=e,this.bytes_[t+1]=e>>8}writeUint16(t,e){this.bytes_[t]=e,this.bytes_[t+1]=e>>8}writeInt32(t,e){this.bytes_[t]=e,this.bytes_[t+1]=e>>8,this.bytes_[t+2]=e>>16,this.bytes_[t+3]=e>>24}writeUint32(t,e){this.bytes_[t]=e,this.bytes_[t+1]=e>>8,this.bytes_[t+2]=e>>16,this.bytes_[t+3]=e>>24}writeInt64(t,e){this.writeInt32(t,Number(BigInt.asIntN(32,e))),this.writeInt32(t+4,Number(BigInt.asIntN(32,e>>BigInt(32))))}writeUint64(t,e){this.writeUint32(t,Number(BigInt.asUintN(32,e))),this.writeUint32(t+4,Number(BigInt.asUintN(32,e>>BigInt(32))))}writeFloat32(t,e){n.float32[0]=e,this.writeInt32(t,n.int32[0])}writeFloat64(t,e){n.float64[0]=e,this.writeInt32(t,n.int32[n.isLittleEndian?0:1]),this.writeInt32(t+4,n.int32[n.isLittleEndian?1:0])}getBufferIdentifier(){if(this.bytes_.length<this.position_+d.SIZEOF_INT+d.FILE_IDENTIFIER_LENGTH)throw new Error("FlatBuffers: ByteBuffer is too short to contain an identifier.");let t="";for(let e=0;e<d.FILE_IDENTIFIER_LENGTH;e++)t+=String.fromCharCode(this.readInt8(this.position_+d.SIZEOF_INT+e));return t}__offset(t,e){let i=t-this.readInt32(t);return e<this.readInt16(i)?this.readInt16(i+e):0}__union(t,e){return t.bb_pos=e+this.readInt32(e),t.bb=this,t}__string(t,e){t+=this.readInt32(t);let i=this.readInt32(t);t+=d.SIZEOF_INT;let s=this.bytes_.subarray(t,t+i);return e===m.Encoding.UTF8_BYTES?s:this.text_decoder_.decode(s)}__union_with_string(t,e){return typeof t=="string"?this.__string(e):this.__union(t,e)}__indirect(t){return t+this.readInt32(t)}__vector(t){return t+this.readInt32(t)+d.SIZEOF_INT}__vector_len(t){return this.readInt32(t+this.readInt32(t))}__has_identifier(t){if(t.length!=d.FILE_IDENTIFIER_LENGTH)throw new Error("FlatBuffers: file identifier must be length "+d.FILE_IDENTIFIER_LENGTH);for(let e=0;e<d.FILE_IDENTIFIER_LENGTH;e++)if(t.charCodeAt(e)!=this.readInt8(this.position()+d.SIZEOF_INT+e))return!1;return!0}createScalarList(t,e){let i=[];for(let s=0;s<e;++s){let a=t(s);a!==null&&i.push(a)}return i}createObjList(t,e){let i=[];for(let s=0;s<e;++s){let a=t(s);a!==null&&i.push(a.unpack())}return i}};E.ByteBuffer=w});var L=b(p=>{"use strict";Object.defineProperty(p,"__esModule",{value:!0});p.Builder=void 0;var B=T(),h=_(),N=class l{constructor(t){this.minalign=1,this.vtable=null,this.vtable_in_use=0,this.isNested=!1,this.object_start=0,this.vtables=[],this.vector_num_elems=0,this.force_defaults=!1,this.string_maps=null,this.text_encoder=new TextEncoder;let e;t?e=t:e=1024,this.bb=B.ByteBuffer.allocate(e),this.space=e}clear(){this.bb.clear(),this.space=this.bb.capacity(),this.minalign=1,this.vtable=null,this.vtable_in_use=0,this.isNested=!1,this.object_start=0,this.vtables=[],this.vector_num_elems=0,this.force_defaults=!1,this.string_maps=null}forceDefaults(t){this.force_defaults=t}dataBuffer(){return this.bb}asUint8Array(){return this.bb.bytes().subarray(this.bb.position(),this.bb.position()+this.offset())}prep(t,e){t>this.minalign&&(this.minalign=t);let i=~(this.bb.capacity()-this.space+e)+1&t-1;for(;this.space<i+t+e;){let s=this.bb.capacity();this.bb=l.growByteBuffer(this.bb),this.space+=this.bb.capacity()-s}this.pad(i)}pad(t){for(let e=0;e<t;e++)this.bb.writeInt8(--this.space,0)}writeInt8(t){this.bb.writeInt8(this.space-=1,t)}writeInt16(t){this.bb.writeInt16(this.space-=2,t)}writeInt32(t){this.bb.writeInt32(this.space-=4,t)}writeInt64(t){this.bb.writeInt64(this.space-=8,t)}writeFloat32(t){this.bb.writeFloat32(this.space-=4,t)}writeFloat64(t){this.bb.writeFloat64(this.space-=8,t)}addInt8(t){this.prep(1,0),this.writeInt8(t)}addInt16(t){this.prep(2,0),this.writeInt16(t)}addInt32(t){this.prep(4,0),this.writeInt32(t)}addInt64(t){this.prep(8,0),this.writeInt64(t)}addFloat32(t){this.prep(4,0),this.writeFloat32(t)}addFloat64(t){this.prep(8,0),this.writeFloat64(t)}addFieldInt8(t,e,i){(this.force_defaults||e!=i)&&(this.addInt8(e),this.slot(t))}addFieldInt16(t,e,i){(this.force_defaults||e!=i)&&(this.addInt16(e),this.slot(t))}addFieldInt32(t,e,i){(this.force_defaults||e!=i)&&(this.addInt32(e),this.slot(t))}addFieldInt64(t,e,i){(this.force_defaults||e!==i)&&(this.addInt64(e),this.slot(t))}addFieldFloat32(t,e,i){(this.force_defaults||e!=i)&&(this.addFloat32(e),this.slot(t))}addFieldFloat64(t,e,i){(this.force_defaults||e!=i)&&(this.addFloat64(e),this.slot(t))}addFieldOffset(t,e,i){(this.force_defaults||e!=i)&&(this.addOffset(e),this.slot(t))}addFieldStruct(t,e,i){e!=i&&(this.nested(e),this.slot(t))}nested(t){if(t!=this.offset())throw new TypeError("FlatBuffers: struct must be serialized inline.")}notNested(){if(this.isNested)throw new TypeError("FlatBuffers: object serialization must not be nested.")}slot(t){this.vtable!==null&&(this.vtable[t]=this.offset())}offset(){return this.bb.capacity()-this.space}static growByteBuffer(t){let e=t.capacity();if(e&3221225472)throw new Error("FlatBuffers: cannot grow buffer beyond 2 gigabytes.");let i=e<<1,s=B.ByteBuffer.allocate(i);return s.setPosition(i-e),s.bytes().set(t.bytes(),i-e),s}addOffset(t){this.prep(h.SIZEOF_INT,0),this.writeInt32(this.offset()-t+h.SIZEOF_INT)}startObject(t){this.notNested(),this.vtable==null&&(this.vtable=[]),this.vtable_in_use=t;for(let e=0;e<t;e++)this.vtable[e]=0;this.isNested=!0,this.object_start=this.offset()}endObject(){if(this.vtable==null||!this.isNested)throw new Error("FlatBuffers: endObject called without startObject");this.addInt32(0);let t=this.offset(),e=this.vtable_in_use-1;for(;e>=0&&this.vtable[e]==0;e--);let i=e+1;for(;e>=0;e--)this.addInt16(this.vtable[e]!=0?t-this.vtable[e]:0);let s=2;this.addInt16(t-this.object_start);let a=(i+s)*h.SIZEOF_SHORT;this.addInt16(a);let u=0,j=this.space;t:for(e=0;e<this.vtables.length;e++){let O=this.bb.capacity()-this.vtables[e];if(a==this.bb.readInt16(O)){for(let I=h.SIZEOF_SHORT;I<a;I+=h.SIZEOF_SHORT)if(this.bb.readInt16(j+I)!=this.bb.readInt16(O+I))continue t;u=this.vtables[e];break}}return u?(this.space=this.bb.capacity()-t,this.bb.writeInt32(this.space,u-t)):(this.vtables.push(this.offset()),this.bb.writeInt32(this.bb.capacity()-t,this.offset()-t)),this.isNested=!1,t}finish(t,e,i){let s=i?h.SIZE_PREFIX_LENGTH:0;if(e){let a=e;if(this.prep(this.minalign,h.SIZEOF_INT+h.FILE_IDENTIFIER_LENGTH+s),a.length!=h.FILE_IDENTIFIER_LENGTH)throw new TypeError("FlatBuffers: file identifier must be length "+h.FILE_IDENTIFIER_LENGTH);for(let u=h.FILE_IDENTIFIER_LENGTH-1;u>=0;u--)this.writeInt8(a.charCodeAt(u))}this.prep(this.minalign,h.SIZEOF_INT+s),this.addOffset(t),s&&this.addInt32(this.bb.capacity()-this.space),this.bb.setPosition(this.space)}finishSizePrefixed(t,e){this.finish(t,e,!0)}requiredField(t,e){let i=this.bb.capacity()-t,s=i-this.bb.readInt32(i);if(!(e<this.bb.readInt16(s)&&this.bb.readInt16(s+e)!=0))throw new TypeError("FlatBuffers: field "+e+" must be set")}startVector(t,e,i){this.notNested(),this.vector_num_elems=e,this.prep(h.SIZEOF_INT,t*e),this.prep(i,t*e)}endVector(){return this.writeInt32(this.vector_num_elems),this.offset()}createSharedString(t){if(!t)return 0;if(this.string_maps||(this.string_maps=new Map),this.string_maps.has(t))return this.string_maps.get(t);let e=this.createString(t);return this.string_maps.set(t,e),e}createString(t){if(t==null)return 0;let e;return t instanceof Uint8Array?e=t:e=this.text_encoder.encode(t),this.addInt8(0),this.startVector(1,e.length,1),this.bb.setPosition(this.space-=e.length),this.bb.bytes().set(e,this.space),this.endVector()}createByteVector(t){return t==null?0:(this.startVector(1,t.length,1),this.bb.setPosition(this.space-=t.length),this.bb.bytes().set(t,this.space),this.endVector())}createObjectOffset(t){return t===null?0:typeof t=="string"?this.createString(t):t.pack(this)}createObjectOffsetList(t){let e=[];for(let i=0;i<t.length;++i){let s=t[i];if(s!==null)e.push(this.createObjectOffset(s));else throw new TypeError("FlatBuffers: Argument for createObjectOffsetList cannot contain null.")}return e}createStructOffsetList(t,e){return e(this,t.length),this.createObjectOffsetList(t.slice().reverse()),this.endVector()}};p.Builder=N});var D=b(r=>{Object.defineProperty(r,"__esModule",{value:!0});r.ByteBuffer=r.Builder=r.Encoding=r.isLittleEndian=r.float64=r.float32=r.int32=r.SIZE_PREFIX_LENGTH=r.FILE_IDENTIFIER_LENGTH=r.SIZEOF_INT=r.SIZEOF_SHORT=void 0;var v=_();Object.defineProperty(r,"SIZEOF_SHORT",{enumerable:!0,get:function(){return v.SIZEOF_SHORT}});var R=_();Object.defineProperty(r,"SIZEOF_INT",{enumerable:!0,get:function(){return R.SIZEOF_INT}});var P=_();Object.defineProperty(r,"FILE_IDENTIFIER_LENGTH",{enumerable:!0,get:function(){return P.FILE_IDENTIFIER_LENGTH}});var U=_();Object.defineProperty(r,"SIZE_PREFIX_LENGTH",{enumerable:!0,get:function(){return U.SIZE_PREFIX_LENGTH}});var F=y();Object.defineProperty(r,"int32",{enumerable:!0,get:function(){return F.int32}});Object.defineProperty(r,"float32",{enumerable:!0,get:function(){return F.float32}});Object.defineProperty(r,"float64",{enumerable:!0,get:function(){return F.float64}});Object.defineProperty(r,"isLittleEndian",{enumerable:!0,get:function(){return F.isLittleEndian}});var Z=g();Object.defineProperty(r,"Encoding",{enumerable:!0,get:function(){return Z.Encoding}});var H=L();Object.defineProperty(r,"Builder",{enumerable:!0,get:function(){return H.Builder}});var G=T();Object.defineProperty(r,"ByteBuffer",{enumerable:!0,get:function(){return G.ByteBuffer}})});return D();})();
"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __exportStar = (this && this.__exportStar) || function(m, exports) {
    for (var p in m) if (p !== "default" && !Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p);
};
const modules = { flatbuffers };
function define(name, needs, make) {
    const exports = (modules[name] = {});
    make(...needs.map((need) => (need === "exports" ? exports : modules[need])));
}
// automatically generated by the FlatBuffers compiler, do not modify
define("clients/js/src/marchland_generated", ["require", "exports", "flatbuffers"], function (require, exports, flatbuffers) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Message = exports.PlayersListed = exports.Positions = exports.Placed = exports.PlayerMove = exports.MessagesLost = exports.PlayerAsks = exports.PlayerMessage = exports.PlayerBack = exports.PlayerAway = exports.Notice = exports.Transfer = exports.CommandRefused = exports.PlayerLeft = exports.PlayerJoined = exports.Spawned = exports.ServiceWelcome = exports.SpawnedOne = exports.Error = exports.Frame = exports.Correction = exports.MessageDelivered = exports.Entered = exports.Left = exports.Pong = exports.Welcome = exports.StateSlot = exports.SendLimit = exports.Crowd = exports.Ring = exports.SendMessages = exports.MessageTo = exports.Subscribe = exports.Circle = exports.AdmitPlayer = exports.TransferPlayer = exports.Change = exports.ChangeOne = exports.MoveMany = exports.Despawn = exports.Spawn = exports.SpawnOne = exports.Notify = exports.Layers = exports.ServiceHello = exports.SendMessage = exports.SetState = exports.KeyframeRequest = exports.Leave = exports.Ping = exports.SetFrameRate = exports.SetView = exports.Move = exports.Hello = exports.View = exports.Velocity = exports.Position = exports.unionListToBody = exports.unionToBody = exports.Body = exports.RefusalReason = exports.PlayerLeftReason = exports.LeaveReason = exports.SlotAudience = exports.SlotWriter = exports.SlotType = exports.Authority = exports.Shape = void 0;
    var Shape;
    (function (Shape) {
        Shape[Shape["none"] = 0] = "none";
        Shape[Shape["circle"] = 1] = "circle";
        Shape[Shape["rectangle"] = 2] = "rectangle";
        Shape[Shape["sector"] = 3] = "sector";
        Shape[Shape["cylinder"] = 4] = "cylinder";
    })(Shape = exports.Shape || (exports.Shape = {}));
    var Authority;
    (function (Authority) {
        Authority[Authority["unchanged"] = 0] = "unchanged";
        Authority[Authority["zone"] = 1] = "zone";
        Authority[Authority["client"] = 2] = "client";
        Authority[Authority["service"] = 3] = "service";
    })(Authority = exports.Authority || (exports.Authority = {}));
    var SlotType;
    (function (SlotType) {
        SlotType[SlotType["integer"] = 0] = "integer";
        SlotType[SlotType["float"] = 1] = "float";
        SlotType[SlotType["bytes"] = 2] = "bytes";
    })(SlotType = exports.SlotType || (exports.SlotType = {}));
    var SlotWriter;
    (function (SlotWriter) {
        SlotWriter[SlotWriter["service"] = 0] = "service";
        SlotWriter[SlotWriter["player"] = 1] = "player";
        SlotWriter[SlotWriter["facing"] = 2] = "facing";
    })(SlotWriter = exports.SlotWriter || (exports.SlotWriter = {}));
    var SlotAudience;
    (function (SlotAudience) {
        SlotAudience[SlotAudience["all"] = 0] = "all";
        SlotAudience[SlotAudience["own"] = 1] = "own";
        SlotAudience[SlotAudience["near"] = 2] = "near";
        SlotAudience[SlotAudience["layer"] = 3] = "layer";
    })(SlotAudience = exports.SlotAudience || (exports.SlotAudience = {}));
    var LeaveReason;
    (function (LeaveReason) {
        LeaveReason[LeaveReason["none"] = 0] = "none";
        LeaveReason[LeaveReason["gone"] = 1] = "gone";
        LeaveReason[LeaveReason["out_of_range"] = 2] = "out_of_range";
        LeaveReason[LeaveReason["hidden"] = 3] = "hidden";
        LeaveReason[LeaveReason["capped"] = 4] = "capped";
    })(LeaveReason = exports.LeaveReason || (exports.LeaveReason = {}));
    var PlayerLeftReason;
    (function (PlayerLeftReason) {
        PlayerLeftReason[PlayerLeftReason["none"] = 0] = "none";
        PlayerLeftReason[PlayerLeftReason["left"] = 1] = "left";
        PlayerLeftReason[PlayerLeftReason["lost"] = 2] = "lost";
        PlayerLeftReason[PlayerLeftReason["removed"] = 3] = "removed";
        PlayerLeftReason[PlayerLeftReason["too_slow"] = 4] = "too_slow";
        PlayerLeftReason[PlayerLeftReason["closed"] = 5] = "closed";
        PlayerLeftReason[PlayerLeftReason["transferred"] = 6] = "transferred";
    })(PlayerLeftReason = exports.PlayerLeftReason || (exports.PlayerLeftReason = {}));
    var RefusalReason;
    (function (RefusalReason) {
        RefusalReason[RefusalReason["none"] = 0] = "none";
        RefusalReason[RefusalReason["not_there"] = 1] = "not_there";
        RefusalReason[RefusalReason["not_yours"] = 2] = "not_yours";
        RefusalReason[RefusalReason["out_of_world"] = 3] = "out_of_world";
        RefusalReason[RefusalReason["bad_view"] = 4] = "bad_view";
        RefusalReason[RefusalReason["bad_notify"] = 5] = "bad_notify";
        RefusalReason[RefusalReason["too_many"] = 6] = "too_many";
        RefusalReason[RefusalReason["zone_full"] = 7] = "zone_full";
        RefusalReason[RefusalReason["bad_state"] = 8] = "bad_state";
        RefusalReason[RefusalReason["not_writer"] = 9] = "not_writer";
        RefusalReason[RefusalReason["away"] = 10] = "away";
    })(RefusalReason = exports.RefusalReason || (exports.RefusalReason = {}));
    var Body;
    (function (Body) {
        Body[Body["NONE"] = 0] = "NONE";
        Body[Body["Hello"] = 1] = "Hello";
        Body[Body["Move"] = 2] = "Move";
        Body[Body["SetView"] = 3] = "SetView";
        Body[Body["Ping"] = 4] = "Ping";
        Body[Body["Leave"] = 5] = "Leave";
        Body[Body["Welcome"] = 6] = "Welcome";
        Body[Body["Pong"] = 7] = "Pong";
        Body[Body["Frame"] = 8] = "Frame";
        Body[Body["Error"] = 9] = "Error";
        Body[Body["KeyframeRequest"] = 10] = "KeyframeRequest";
        Body[Body["SetState"] = 11] = "SetState";
        Body[Body["Transfer"] = 12] = "Transfer";
        Body[Body["ServiceHello"] = 13] = "ServiceHello";
        Body[Body["Spawn"] = 14] = "Spawn";
        Body[Body["Despawn"] = 15] = "Despawn";
        Body[Body["MoveMany"] = 16] = "MoveMany";
        Body[Body["Change"] = 17] = "Change";
        Body[Body["TransferPlayer"] = 18] = "TransferPlayer";
        Body[Body["ServiceWelcome"] = 19] = "ServiceWelcome";
        Body[Body["Spawned"] = 20] = "Spawned";
        Body[Body["PlayerJoined"] = 21] = "PlayerJoined";
        Body[Body["PlayerLeft"] = 22] = "PlayerLeft";
        Body[Body["CommandRefused"] = 23] = "CommandRefused";
        Body[Body["Notice"] = 24] = "Notice";
        Body[Body["PlayerAway"] = 25] = "PlayerAway";
        Body[Body["PlayerBack"] = 26] = "PlayerBack";
        Body[Body["SendMessage"] = 27] = "SendMessage";
        Body[Body["Subscribe"] = 28] = "Subscribe";
        Body[Body["SendMessages"] = 29] = "SendMessages";
        Body[Body["PlayerMessage"] = 30] = "PlayerMessage";
        Body[Body["MessagesLost"] = 31] = "MessagesLost";
        Body[Body["SetFrameRate"] = 32] = "SetFrameRate";
        Body[Body["PlayerAsks"] = 33] = "PlayerAsks";
        Body[Body["AdmitPlayer"] = 34] = "AdmitPlayer";
        Body[Body["Positions"] = 35] = "Positions";
        Body[Body["PlayerMove"] = 36] = "PlayerMove";
        Body[Body["PlayersListed"] = 37] = "PlayersListed";
    })(Body = exports.Body || (exports.Body = {}));
    function unionToBody(type, accessor) {
        switch (Body[type]) {
            case 'NONE': return null;
            case 'Hello': return accessor(new Hello());
            case 'Move': return accessor(new Move());
            case 'SetView': return accessor(new SetView());
            case 'Ping': return accessor(new Ping());
            case 'Leave': return accessor(new Leave());
            case 'Welcome': return accessor(new Welcome());
            case 'Pong': return accessor(new Pong());
            case 'Frame': return accessor(new Frame());
            case 'Error': return accessor(new Error());
            case 'KeyframeRequest': return accessor(new KeyframeRequest());
            case 'SetState': return accessor(new SetState());
            case 'Transfer': return accessor(new Transfer());
            case 'ServiceHello': return accessor(new ServiceHello());
            case 'Spawn': return accessor(new Spawn());
            case 'Despawn': return accessor(new Despawn());
            case 'MoveMany': return accessor(new MoveMany());
            case 'Change': return accessor(new Change());
            case 'TransferPlayer': return accessor(new TransferPlayer());
            case 'ServiceWelcome': return accessor(new ServiceWelcome());
            case 'Spawned': return accessor(new Spawned());
            case 'PlayerJoined': return accessor(new PlayerJoined());
            case 'PlayerLeft': return accessor(new PlayerLeft());
            case 'CommandRefused': return accessor(new CommandRefused());
            case 'Notice': return accessor(new Notice());
            case 'PlayerAway': return accessor(new PlayerAway());
            case 'PlayerBack': return accessor(new PlayerBack());
            case 'SendMessage': return accessor(new SendMessage());
            case 'Subscribe': return accessor(new Subscribe());
            case 'SendMessages': return accessor(new SendMessages());
            case 'PlayerMessage': return accessor(new PlayerMessage());
            case 'MessagesLost': return accessor(new MessagesLost());
            case 'SetFrameRate': return accessor(new SetFrameRate());
            case 'PlayerAsks': return accessor(new PlayerAsks());
            case 'AdmitPlayer': return accessor(new AdmitPlayer());
            case 'Positions': return accessor(new Positions());
            case 'PlayerMove': return accessor(new PlayerMove());
            case 'PlayersListed': return accessor(new PlayersListed());
            default: return null;
        }
    }
    exports.unionToBody = unionToBody;
    function unionListToBody(type, accessor, index) {
        switch (Body[type]) {
            case 'NONE': return null;
            case 'Hello': return accessor(index, new Hello());
            case 'Move': return accessor(index, new Move());
            case 'SetView': return accessor(index, new SetView());
            case 'Ping': return accessor(index, new Ping());
            case 'Leave': return accessor(index, new Leave());
            case 'Welcome': return accessor(index, new Welcome());
            case 'Pong': return accessor(index, new Pong());
            case 'Frame': return accessor(index, new Frame());
            case 'Error': return accessor(index, new Error());
            case 'KeyframeRequest': return accessor(index, new KeyframeRequest());
            case 'SetState': return accessor(index, new SetState());
            case 'Transfer': return accessor(index, new Transfer());
            case 'ServiceHello': return accessor(index, new ServiceHello());
            case 'Spawn': return accessor(index, new Spawn());
            case 'Despawn': return accessor(index, new Despawn());
            case 'MoveMany': return accessor(index, new MoveMany());
            case 'Change': return accessor(index, new Change());
            case 'TransferPlayer': return accessor(index, new TransferPlayer());
            case 'ServiceWelcome': return accessor(index, new ServiceWelcome());
            case 'Spawned': return accessor(index, new Spawned());
            case 'PlayerJoined': return accessor(index, new PlayerJoined());
            case 'PlayerLeft': return accessor(index, new PlayerLeft());
            case 'CommandRefused': return accessor(index, new CommandRefused());
            case 'Notice': return accessor(index, new Notice());
            case 'PlayerAway': return accessor(index, new PlayerAway());
            case 'PlayerBack': return accessor(index, new PlayerBack());
            case 'SendMessage': return accessor(index, new SendMessage());
            case 'Subscribe': return accessor(index, new Subscribe());
            case 'SendMessages': return accessor(index, new SendMessages());
            case 'PlayerMessage': return accessor(index, new PlayerMessage());
            case 'MessagesLost': return accessor(index, new MessagesLost());
            case 'SetFrameRate': return accessor(index, new SetFrameRate());
            case 'PlayerAsks': return accessor(index, new PlayerAsks());
            case 'AdmitPlayer': return accessor(index, new AdmitPlayer());
            case 'Positions': return accessor(index, new Positions());
            case 'PlayerMove': return accessor(index, new PlayerMove());
            case 'PlayersListed': return accessor(index, new PlayersListed());
            default: return null;
        }
    }
    exports.unionListToBody = unionListToBody;
    class Position {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        x() {
            return this.bb.readInt32(this.bb_pos);
        }
        y() {
            return this.bb.readInt32(this.bb_pos + 4);
        }
        z() {
            return this.bb.readInt32(this.bb_pos + 8);
        }
        static sizeOf() {
            return 12;
        }
        static createPosition(builder, x, y, z) {
            builder.prep(4, 12);
            builder.writeInt32(z);
            builder.writeInt32(y);
            builder.writeInt32(x);
            return builder.offset();
        }
    }
    exports.Position = Position;
    class Velocity {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        x() {
            return this.bb.readInt16(this.bb_pos);
        }
        y() {
            return this.bb.readInt16(this.bb_pos + 2);
        }
        z() {
            return this.bb.readInt16(this.bb_pos + 4);
        }
        static sizeOf() {
            return 6;
        }
        static createVelocity(builder, x, y, z) {
            builder.prep(2, 6);
            builder.writeInt16(z);
            builder.writeInt16(y);
            builder.writeInt16(x);
            return builder.offset();
        }
    }
    exports.Velocity = Velocity;
    class View {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsView(bb, obj) {
            return (obj || new View()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsView(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new View()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        shape() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : Shape.circle;
        }
        radiusMm() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        leaveRadiusMm() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        halfYMm() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        leaveHalfYMm() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        halfZMm() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        leaveHalfZMm() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        halfOpening() {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        leaveHalfOpening() {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        static startView(builder) {
            builder.startObject(9);
        }
        static addShape(builder, shape) {
            builder.addFieldInt8(0, shape, Shape.circle);
        }
        static addRadiusMm(builder, radiusMm) {
            builder.addFieldInt32(1, radiusMm, 0);
        }
        static addLeaveRadiusMm(builder, leaveRadiusMm) {
            builder.addFieldInt32(2, leaveRadiusMm, 0);
        }
        static addHalfYMm(builder, halfYMm) {
            builder.addFieldInt32(3, halfYMm, 0);
        }
        static addLeaveHalfYMm(builder, leaveHalfYMm) {
            builder.addFieldInt32(4, leaveHalfYMm, 0);
        }
        static addHalfZMm(builder, halfZMm) {
            builder.addFieldInt32(5, halfZMm, 0);
        }
        static addLeaveHalfZMm(builder, leaveHalfZMm) {
            builder.addFieldInt32(6, leaveHalfZMm, 0);
        }
        static addHalfOpening(builder, halfOpening) {
            builder.addFieldInt16(7, halfOpening, 0);
        }
        static addLeaveHalfOpening(builder, leaveHalfOpening) {
            builder.addFieldInt16(8, leaveHalfOpening, 0);
        }
        static endView(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createView(builder, shape, radiusMm, leaveRadiusMm, halfYMm, leaveHalfYMm, halfZMm, leaveHalfZMm, halfOpening, leaveHalfOpening) {
            View.startView(builder);
            View.addShape(builder, shape);
            View.addRadiusMm(builder, radiusMm);
            View.addLeaveRadiusMm(builder, leaveRadiusMm);
            View.addHalfYMm(builder, halfYMm);
            View.addLeaveHalfYMm(builder, leaveHalfYMm);
            View.addHalfZMm(builder, halfZMm);
            View.addLeaveHalfZMm(builder, leaveHalfZMm);
            View.addHalfOpening(builder, halfOpening);
            View.addLeaveHalfOpening(builder, leaveHalfOpening);
            return View.endView(builder);
        }
    }
    exports.View = View;
    class Hello {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsHello(bb, obj) {
            return (obj || new Hello()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsHello(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Hello()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        protocolMajor() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        protocolMinor() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        spawn(obj) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        view(obj) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? (obj || new View()).__init(this.bb.__indirect(this.bb_pos + offset), this.bb) : null;
        }
        state(index) {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        stateLength() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        stateArray() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        facing() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        token(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        resumeToken(index) {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        resumeTokenLength() {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        resumeTokenArray() {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        lastTick() {
            const offset = this.bb.__offset(this.bb_pos, 22);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        carried(index) {
            const offset = this.bb.__offset(this.bb_pos, 24);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        carriedLength() {
            const offset = this.bb.__offset(this.bb_pos, 24);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        carriedArray() {
            const offset = this.bb.__offset(this.bb_pos, 24);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        readsRanks() {
            const offset = this.bb.__offset(this.bb_pos, 26);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        static startHello(builder) {
            builder.startObject(12);
        }
        static addProtocolMajor(builder, protocolMajor) {
            builder.addFieldInt16(0, protocolMajor, 0);
        }
        static addProtocolMinor(builder, protocolMinor) {
            builder.addFieldInt16(1, protocolMinor, 0);
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(2, kind, 0);
        }
        static addSpawn(builder, spawnOffset) {
            builder.addFieldStruct(3, spawnOffset, 0);
        }
        static addView(builder, viewOffset) {
            builder.addFieldOffset(4, viewOffset, 0);
        }
        static addState(builder, stateOffset) {
            builder.addFieldOffset(5, stateOffset, 0);
        }
        static createStateVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startStateVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addFacing(builder, facing) {
            builder.addFieldInt16(6, facing, 0);
        }
        static addToken(builder, tokenOffset) {
            builder.addFieldOffset(7, tokenOffset, 0);
        }
        static addResumeToken(builder, resumeTokenOffset) {
            builder.addFieldOffset(8, resumeTokenOffset, 0);
        }
        static createResumeTokenVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startResumeTokenVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addLastTick(builder, lastTick) {
            builder.addFieldInt64(9, lastTick, BigInt('0'));
        }
        static addCarried(builder, carriedOffset) {
            builder.addFieldOffset(10, carriedOffset, 0);
        }
        static createCarriedVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startCarriedVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addReadsRanks(builder, readsRanks) {
            builder.addFieldInt8(11, +readsRanks, +false);
        }
        static endHello(builder) {
            const offset = builder.endObject();
            return offset;
        }
    }
    exports.Hello = Hello;
    class Move {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsMove(bb, obj) {
            return (obj || new Move()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsMove(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Move()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        seq() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        position(obj) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        facing() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : null;
        }
        correctionSeen() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        velocity(obj) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? (obj || new Velocity()).__init(this.bb_pos + offset, this.bb) : null;
        }
        static startMove(builder) {
            builder.startObject(5);
        }
        static addSeq(builder, seq) {
            builder.addFieldInt32(0, seq, 0);
        }
        static addPosition(builder, positionOffset) {
            builder.addFieldStruct(1, positionOffset, 0);
        }
        static addFacing(builder, facing) {
            builder.addFieldInt16(2, facing, 0);
        }
        static addCorrectionSeen(builder, correctionSeen) {
            builder.addFieldInt32(3, correctionSeen, 0);
        }
        static addVelocity(builder, velocityOffset) {
            builder.addFieldStruct(4, velocityOffset, 0);
        }
        static endMove(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 6); // position
            return offset;
        }
    }
    exports.Move = Move;
    class SetView {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSetView(bb, obj) {
            return (obj || new SetView()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSetView(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new SetView()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        view(obj) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? (obj || new View()).__init(this.bb.__indirect(this.bb_pos + offset), this.bb) : null;
        }
        static startSetView(builder) {
            builder.startObject(1);
        }
        static addView(builder, viewOffset) {
            builder.addFieldOffset(0, viewOffset, 0);
        }
        static endSetView(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // view
            return offset;
        }
        static createSetView(builder, viewOffset) {
            SetView.startSetView(builder);
            SetView.addView(builder, viewOffset);
            return SetView.endSetView(builder);
        }
    }
    exports.SetView = SetView;
    class SetFrameRate {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSetFrameRate(bb, obj) {
            return (obj || new SetFrameRate()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSetFrameRate(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new SetFrameRate()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        framesHz() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        static startSetFrameRate(builder) {
            builder.startObject(1);
        }
        static addFramesHz(builder, framesHz) {
            builder.addFieldInt16(0, framesHz, 0);
        }
        static endSetFrameRate(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createSetFrameRate(builder, framesHz) {
            SetFrameRate.startSetFrameRate(builder);
            SetFrameRate.addFramesHz(builder, framesHz);
            return SetFrameRate.endSetFrameRate(builder);
        }
    }
    exports.SetFrameRate = SetFrameRate;
    class Ping {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPing(bb, obj) {
            return (obj || new Ping()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPing(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Ping()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        nonce() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        static startPing(builder) {
            builder.startObject(1);
        }
        static addNonce(builder, nonce) {
            builder.addFieldInt64(0, nonce, BigInt('0'));
        }
        static endPing(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createPing(builder, nonce) {
            Ping.startPing(builder);
            Ping.addNonce(builder, nonce);
            return Ping.endPing(builder);
        }
    }
    exports.Ping = Ping;
    class Leave {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsLeave(bb, obj) {
            return (obj || new Leave()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsLeave(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Leave()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static startLeave(builder) {
            builder.startObject(0);
        }
        static endLeave(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createLeave(builder) {
            Leave.startLeave(builder);
            return Leave.endLeave(builder);
        }
    }
    exports.Leave = Leave;
    class KeyframeRequest {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsKeyframeRequest(bb, obj) {
            return (obj || new KeyframeRequest()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsKeyframeRequest(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new KeyframeRequest()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static startKeyframeRequest(builder) {
            builder.startObject(0);
        }
        static endKeyframeRequest(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createKeyframeRequest(builder) {
            KeyframeRequest.startKeyframeRequest(builder);
            return KeyframeRequest.endKeyframeRequest(builder);
        }
    }
    exports.KeyframeRequest = KeyframeRequest;
    class SetState {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSetState(bb, obj) {
            return (obj || new SetState()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSetState(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new SetState()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        state(index) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        stateLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        stateArray() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        static startSetState(builder) {
            builder.startObject(1);
        }
        static addState(builder, stateOffset) {
            builder.addFieldOffset(0, stateOffset, 0);
        }
        static createStateVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startStateVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static endSetState(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createSetState(builder, stateOffset) {
            SetState.startSetState(builder);
            SetState.addState(builder, stateOffset);
            return SetState.endSetState(builder);
        }
    }
    exports.SetState = SetState;
    class SendMessage {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSendMessage(bb, obj) {
            return (obj || new SendMessage()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSendMessage(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new SendMessage()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        number() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        payload(index) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        payloadLength() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        payloadArray() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        static startSendMessage(builder) {
            builder.startObject(3);
        }
        static addNumber(builder, number) {
            builder.addFieldInt32(0, number, 0);
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(1, kind, 0);
        }
        static addPayload(builder, payloadOffset) {
            builder.addFieldOffset(2, payloadOffset, 0);
        }
        static createPayloadVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startPayloadVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static endSendMessage(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createSendMessage(builder, number, kind, payloadOffset) {
            SendMessage.startSendMessage(builder);
            SendMessage.addNumber(builder, number);
            SendMessage.addKind(builder, kind);
            SendMessage.addPayload(builder, payloadOffset);
            return SendMessage.endSendMessage(builder);
        }
    }
    exports.SendMessage = SendMessage;
    class ServiceHello {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsServiceHello(bb, obj) {
            return (obj || new ServiceHello()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsServiceHello(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new ServiceHello()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        protocolMajor() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        protocolMinor() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        name(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        token(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        resumeToken(index) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        resumeTokenLength() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        resumeTokenArray() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        admits() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        static startServiceHello(builder) {
            builder.startObject(6);
        }
        static addProtocolMajor(builder, protocolMajor) {
            builder.addFieldInt16(0, protocolMajor, 0);
        }
        static addProtocolMinor(builder, protocolMinor) {
            builder.addFieldInt16(1, protocolMinor, 0);
        }
        static addName(builder, nameOffset) {
            builder.addFieldOffset(2, nameOffset, 0);
        }
        static addToken(builder, tokenOffset) {
            builder.addFieldOffset(3, tokenOffset, 0);
        }
        static addResumeToken(builder, resumeTokenOffset) {
            builder.addFieldOffset(4, resumeTokenOffset, 0);
        }
        static createResumeTokenVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startResumeTokenVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addAdmits(builder, admits) {
            builder.addFieldInt8(5, +admits, +false);
        }
        static endServiceHello(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 8); // name
            return offset;
        }
        static createServiceHello(builder, protocolMajor, protocolMinor, nameOffset, tokenOffset, resumeTokenOffset, admits) {
            ServiceHello.startServiceHello(builder);
            ServiceHello.addProtocolMajor(builder, protocolMajor);
            ServiceHello.addProtocolMinor(builder, protocolMinor);
            ServiceHello.addName(builder, nameOffset);
            ServiceHello.addToken(builder, tokenOffset);
            ServiceHello.addResumeToken(builder, resumeTokenOffset);
            ServiceHello.addAdmits(builder, admits);
            return ServiceHello.endServiceHello(builder);
        }
    }
    exports.ServiceHello = ServiceHello;
    class Layers {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        layers() {
            return this.bb.readUint32(this.bb_pos);
        }
        layersSeen() {
            return this.bb.readUint32(this.bb_pos + 4);
        }
        static sizeOf() {
            return 8;
        }
        static createLayers(builder, layers, layers_seen) {
            builder.prep(4, 8);
            builder.writeInt32(layers_seen);
            builder.writeInt32(layers);
            return builder.offset();
        }
    }
    exports.Layers = Layers;
    class Notify {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        radiusMm() {
            return this.bb.readInt32(this.bb_pos);
        }
        leaveRadiusMm() {
            return this.bb.readInt32(this.bb_pos + 4);
        }
        static sizeOf() {
            return 8;
        }
        static createNotify(builder, radius_mm, leave_radius_mm) {
            builder.prep(4, 8);
            builder.writeInt32(leave_radius_mm);
            builder.writeInt32(radius_mm);
            return builder.offset();
        }
    }
    exports.Notify = Notify;
    class SpawnOne {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSpawnOne(bb, obj) {
            return (obj || new SpawnOne()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSpawnOne(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new SpawnOne()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        ref() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        position(obj) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        facing() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        layers(obj) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? (obj || new Layers()).__init(this.bb_pos + offset, this.bb) : null;
        }
        view(obj) {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? (obj || new View()).__init(this.bb.__indirect(this.bb_pos + offset), this.bb) : null;
        }
        notify(obj) {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? (obj || new Notify()).__init(this.bb_pos + offset, this.bb) : null;
        }
        state(index) {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        stateLength() {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        stateArray() {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        importance() {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : 1;
        }
        watches() {
            const offset = this.bb.__offset(this.bb_pos, 22);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        static startSpawnOne(builder) {
            builder.startObject(10);
        }
        static addRef(builder, ref) {
            builder.addFieldInt32(0, ref, 0);
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(1, kind, 0);
        }
        static addPosition(builder, positionOffset) {
            builder.addFieldStruct(2, positionOffset, 0);
        }
        static addFacing(builder, facing) {
            builder.addFieldInt16(3, facing, 0);
        }
        static addLayers(builder, layersOffset) {
            builder.addFieldStruct(4, layersOffset, 0);
        }
        static addView(builder, viewOffset) {
            builder.addFieldOffset(5, viewOffset, 0);
        }
        static addNotify(builder, notifyOffset) {
            builder.addFieldStruct(6, notifyOffset, 0);
        }
        static addState(builder, stateOffset) {
            builder.addFieldOffset(7, stateOffset, 0);
        }
        static createStateVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startStateVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addImportance(builder, importance) {
            builder.addFieldInt8(8, importance, 1);
        }
        static addWatches(builder, watches) {
            builder.addFieldInt8(9, +watches, +false);
        }
        static endSpawnOne(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 8); // position
            return offset;
        }
    }
    exports.SpawnOne = SpawnOne;
    class Spawn {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSpawn(bb, obj) {
            return (obj || new Spawn()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSpawn(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Spawn()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entities(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? (obj || new SpawnOne()).__init(this.bb.__indirect(this.bb.__vector(this.bb_pos + offset) + index * 4), this.bb) : null;
        }
        entitiesLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        static startSpawn(builder) {
            builder.startObject(1);
        }
        static addEntities(builder, entitiesOffset) {
            builder.addFieldOffset(0, entitiesOffset, 0);
        }
        static createEntitiesVector(builder, data) {
            builder.startVector(4, data.length, 4);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addOffset(data[i]);
            }
            return builder.endVector();
        }
        static startEntitiesVector(builder, numElems) {
            builder.startVector(4, numElems, 4);
        }
        static endSpawn(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // entities
            return offset;
        }
        static createSpawn(builder, entitiesOffset) {
            Spawn.startSpawn(builder);
            Spawn.addEntities(builder, entitiesOffset);
            return Spawn.endSpawn(builder);
        }
    }
    exports.Spawn = Spawn;
    class Despawn {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsDespawn(bb, obj) {
            return (obj || new Despawn()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsDespawn(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Despawn()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entities(index) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb.__vector(this.bb_pos + offset) + index * 8) : BigInt(0);
        }
        entitiesLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        static startDespawn(builder) {
            builder.startObject(1);
        }
        static addEntities(builder, entitiesOffset) {
            builder.addFieldOffset(0, entitiesOffset, 0);
        }
        static createEntitiesVector(builder, data) {
            builder.startVector(8, data.length, 8);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt64(data[i]);
            }
            return builder.endVector();
        }
        static startEntitiesVector(builder, numElems) {
            builder.startVector(8, numElems, 8);
        }
        static endDespawn(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // entities
            return offset;
        }
        static createDespawn(builder, entitiesOffset) {
            Despawn.startDespawn(builder);
            Despawn.addEntities(builder, entitiesOffset);
            return Despawn.endDespawn(builder);
        }
    }
    exports.Despawn = Despawn;
    class MoveMany {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsMoveMany(bb, obj) {
            return (obj || new MoveMany()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsMoveMany(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new MoveMany()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        moves(index) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        movesLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        movesArray() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        static startMoveMany(builder) {
            builder.startObject(1);
        }
        static addMoves(builder, movesOffset) {
            builder.addFieldOffset(0, movesOffset, 0);
        }
        static createMovesVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startMovesVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static endMoveMany(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // moves
            return offset;
        }
        static createMoveMany(builder, movesOffset) {
            MoveMany.startMoveMany(builder);
            MoveMany.addMoves(builder, movesOffset);
            return MoveMany.endMoveMany(builder);
        }
    }
    exports.MoveMany = MoveMany;
    class ChangeOne {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsChangeOne(bb, obj) {
            return (obj || new ChangeOne()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsChangeOne(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new ChangeOne()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        position(obj) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        facing() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : null;
        }
        layers(obj) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? (obj || new Layers()).__init(this.bb_pos + offset, this.bb) : null;
        }
        view(obj) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? (obj || new View()).__init(this.bb.__indirect(this.bb_pos + offset), this.bb) : null;
        }
        notify(obj) {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? (obj || new Notify()).__init(this.bb_pos + offset, this.bb) : null;
        }
        state(index) {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        stateLength() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        stateArray() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        framesHz() {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : null;
        }
        speedPercent() {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : null;
        }
        authority() {
            const offset = this.bb.__offset(this.bb_pos, 22);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : Authority.unchanged;
        }
        moveAck() {
            const offset = this.bb.__offset(this.bb_pos, 24);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : null;
        }
        static startChangeOne(builder) {
            builder.startObject(11);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addPosition(builder, positionOffset) {
            builder.addFieldStruct(1, positionOffset, 0);
        }
        static addFacing(builder, facing) {
            builder.addFieldInt16(2, facing, 0);
        }
        static addLayers(builder, layersOffset) {
            builder.addFieldStruct(3, layersOffset, 0);
        }
        static addView(builder, viewOffset) {
            builder.addFieldOffset(4, viewOffset, 0);
        }
        static addNotify(builder, notifyOffset) {
            builder.addFieldStruct(5, notifyOffset, 0);
        }
        static addState(builder, stateOffset) {
            builder.addFieldOffset(6, stateOffset, 0);
        }
        static createStateVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startStateVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addFramesHz(builder, framesHz) {
            builder.addFieldInt16(7, framesHz, 0);
        }
        static addSpeedPercent(builder, speedPercent) {
            builder.addFieldInt16(8, speedPercent, 0);
        }
        static addAuthority(builder, authority) {
            builder.addFieldInt8(9, authority, Authority.unchanged);
        }
        static addMoveAck(builder, moveAck) {
            builder.addFieldInt32(10, moveAck, 0);
        }
        static endChangeOne(builder) {
            const offset = builder.endObject();
            return offset;
        }
    }
    exports.ChangeOne = ChangeOne;
    class Change {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsChange(bb, obj) {
            return (obj || new Change()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsChange(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Change()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entities(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? (obj || new ChangeOne()).__init(this.bb.__indirect(this.bb.__vector(this.bb_pos + offset) + index * 4), this.bb) : null;
        }
        entitiesLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        static startChange(builder) {
            builder.startObject(1);
        }
        static addEntities(builder, entitiesOffset) {
            builder.addFieldOffset(0, entitiesOffset, 0);
        }
        static createEntitiesVector(builder, data) {
            builder.startVector(4, data.length, 4);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addOffset(data[i]);
            }
            return builder.endVector();
        }
        static startEntitiesVector(builder, numElems) {
            builder.startVector(4, numElems, 4);
        }
        static endChange(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // entities
            return offset;
        }
        static createChange(builder, entitiesOffset) {
            Change.startChange(builder);
            Change.addEntities(builder, entitiesOffset);
            return Change.endChange(builder);
        }
    }
    exports.Change = Change;
    class TransferPlayer {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsTransferPlayer(bb, obj) {
            return (obj || new TransferPlayer()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsTransferPlayer(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new TransferPlayer()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        address(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        token(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        carried(index) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        carriedLength() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        carriedArray() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        static startTransferPlayer(builder) {
            builder.startObject(4);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addAddress(builder, addressOffset) {
            builder.addFieldOffset(1, addressOffset, 0);
        }
        static addToken(builder, tokenOffset) {
            builder.addFieldOffset(2, tokenOffset, 0);
        }
        static addCarried(builder, carriedOffset) {
            builder.addFieldOffset(3, carriedOffset, 0);
        }
        static createCarriedVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startCarriedVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static endTransferPlayer(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 6); // address
            return offset;
        }
        static createTransferPlayer(builder, entity, addressOffset, tokenOffset, carriedOffset) {
            TransferPlayer.startTransferPlayer(builder);
            TransferPlayer.addEntity(builder, entity);
            TransferPlayer.addAddress(builder, addressOffset);
            TransferPlayer.addToken(builder, tokenOffset);
            TransferPlayer.addCarried(builder, carriedOffset);
            return TransferPlayer.endTransferPlayer(builder);
        }
    }
    exports.TransferPlayer = TransferPlayer;
    class AdmitPlayer {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsAdmitPlayer(bb, obj) {
            return (obj || new AdmitPlayer()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsAdmitPlayer(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new AdmitPlayer()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        request() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        given(obj) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? (obj || new ChangeOne()).__init(this.bb.__indirect(this.bb_pos + offset), this.bb) : null;
        }
        refusal(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        static startAdmitPlayer(builder) {
            builder.startObject(3);
        }
        static addRequest(builder, request) {
            builder.addFieldInt64(0, request, BigInt('0'));
        }
        static addGiven(builder, givenOffset) {
            builder.addFieldOffset(1, givenOffset, 0);
        }
        static addRefusal(builder, refusalOffset) {
            builder.addFieldOffset(2, refusalOffset, 0);
        }
        static endAdmitPlayer(builder) {
            const offset = builder.endObject();
            return offset;
        }
    }
    exports.AdmitPlayer = AdmitPlayer;
    class Circle {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        centre(obj) {
            return (obj || new Position()).__init(this.bb_pos, this.bb);
        }
        radiusMm() {
            return this.bb.readInt32(this.bb_pos + 12);
        }
        static sizeOf() {
            return 16;
        }
        static createCircle(builder, centre_x, centre_y, centre_z, radius_mm) {
            builder.prep(4, 16);
            builder.writeInt32(radius_mm);
            builder.prep(4, 12);
            builder.writeInt32(centre_z);
            builder.writeInt32(centre_y);
            builder.writeInt32(centre_x);
            return builder.offset();
        }
    }
    exports.Circle = Circle;
    class Subscribe {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSubscribe(bb, obj) {
            return (obj || new Subscribe()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSubscribe(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Subscribe()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        kinds(index) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint16(this.bb.__vector(this.bb_pos + offset) + index * 2) : 0;
        }
        kindsLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        kindsArray() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? new Uint16Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        positions() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        within(obj) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? (obj || new Circle()).__init(this.bb_pos + offset, this.bb) : null;
        }
        moves() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        static startSubscribe(builder) {
            builder.startObject(4);
        }
        static addKinds(builder, kindsOffset) {
            builder.addFieldOffset(0, kindsOffset, 0);
        }
        static createKindsVector(builder, data) {
            builder.startVector(2, data.length, 2);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt16(data[i]);
            }
            return builder.endVector();
        }
        static startKindsVector(builder, numElems) {
            builder.startVector(2, numElems, 2);
        }
        static addPositions(builder, positions) {
            builder.addFieldInt8(1, +positions, +false);
        }
        static addWithin(builder, withinOffset) {
            builder.addFieldStruct(2, withinOffset, 0);
        }
        static addMoves(builder, moves) {
            builder.addFieldInt8(3, +moves, +false);
        }
        static endSubscribe(builder) {
            const offset = builder.endObject();
            return offset;
        }
    }
    exports.Subscribe = Subscribe;
    class MessageTo {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsMessageTo(bb, obj) {
            return (obj || new MessageTo()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsMessageTo(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new MessageTo()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        to(index) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb.__vector(this.bb_pos + offset) + index * 8) : BigInt(0);
        }
        toLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        toEverybody() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        payload(index) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        payloadLength() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        payloadArray() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        toViewersOf() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        within(obj) {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? (obj || new Circle()).__init(this.bb_pos + offset, this.bb) : null;
        }
        layers() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        static startMessageTo(builder) {
            builder.startObject(7);
        }
        static addTo(builder, toOffset) {
            builder.addFieldOffset(0, toOffset, 0);
        }
        static createToVector(builder, data) {
            builder.startVector(8, data.length, 8);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt64(data[i]);
            }
            return builder.endVector();
        }
        static startToVector(builder, numElems) {
            builder.startVector(8, numElems, 8);
        }
        static addToEverybody(builder, toEverybody) {
            builder.addFieldInt8(1, +toEverybody, +false);
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(2, kind, 0);
        }
        static addPayload(builder, payloadOffset) {
            builder.addFieldOffset(3, payloadOffset, 0);
        }
        static createPayloadVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startPayloadVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addToViewersOf(builder, toViewersOf) {
            builder.addFieldInt64(4, toViewersOf, BigInt('0'));
        }
        static addWithin(builder, withinOffset) {
            builder.addFieldStruct(5, withinOffset, 0);
        }
        static addLayers(builder, layers) {
            builder.addFieldInt32(6, layers, 0);
        }
        static endMessageTo(builder) {
            const offset = builder.endObject();
            return offset;
        }
    }
    exports.MessageTo = MessageTo;
    class SendMessages {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSendMessages(bb, obj) {
            return (obj || new SendMessages()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSendMessages(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new SendMessages()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        messages(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? (obj || new MessageTo()).__init(this.bb.__indirect(this.bb.__vector(this.bb_pos + offset) + index * 4), this.bb) : null;
        }
        messagesLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        static startSendMessages(builder) {
            builder.startObject(1);
        }
        static addMessages(builder, messagesOffset) {
            builder.addFieldOffset(0, messagesOffset, 0);
        }
        static createMessagesVector(builder, data) {
            builder.startVector(4, data.length, 4);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addOffset(data[i]);
            }
            return builder.endVector();
        }
        static startMessagesVector(builder, numElems) {
            builder.startVector(4, numElems, 4);
        }
        static endSendMessages(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // messages
            return offset;
        }
        static createSendMessages(builder, messagesOffset) {
            SendMessages.startSendMessages(builder);
            SendMessages.addMessages(builder, messagesOffset);
            return SendMessages.endSendMessages(builder);
        }
    }
    exports.SendMessages = SendMessages;
    class Ring {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        beyondMm() {
            return this.bb.readInt32(this.bb_pos);
        }
        everyTicks() {
            return this.bb.readUint32(this.bb_pos + 4);
        }
        static sizeOf() {
            return 8;
        }
        static createRing(builder, beyond_mm, every_ticks) {
            builder.prep(4, 8);
            builder.writeInt32(every_ticks);
            builder.writeInt32(beyond_mm);
            return builder.offset();
        }
    }
    exports.Ring = Ring;
    class Crowd {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsCrowd(bb, obj) {
            return (obj || new Crowd()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsCrowd(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Crowd()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        visibleMax() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        stickyPercent() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        rings(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? (obj || new Ring()).__init(this.bb.__vector(this.bb_pos + offset) + index * 8, this.bb) : null;
        }
        ringsLength() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        frameBytesMax() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        staleTicksMax() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        static startCrowd(builder) {
            builder.startObject(5);
        }
        static addVisibleMax(builder, visibleMax) {
            builder.addFieldInt32(0, visibleMax, 0);
        }
        static addStickyPercent(builder, stickyPercent) {
            builder.addFieldInt32(1, stickyPercent, 0);
        }
        static addRings(builder, ringsOffset) {
            builder.addFieldOffset(2, ringsOffset, 0);
        }
        static startRingsVector(builder, numElems) {
            builder.startVector(8, numElems, 4);
        }
        static addFrameBytesMax(builder, frameBytesMax) {
            builder.addFieldInt32(3, frameBytesMax, 0);
        }
        static addStaleTicksMax(builder, staleTicksMax) {
            builder.addFieldInt32(4, staleTicksMax, 0);
        }
        static endCrowd(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createCrowd(builder, visibleMax, stickyPercent, ringsOffset, frameBytesMax, staleTicksMax) {
            Crowd.startCrowd(builder);
            Crowd.addVisibleMax(builder, visibleMax);
            Crowd.addStickyPercent(builder, stickyPercent);
            Crowd.addRings(builder, ringsOffset);
            Crowd.addFrameBytesMax(builder, frameBytesMax);
            Crowd.addStaleTicksMax(builder, staleTicksMax);
            return Crowd.endCrowd(builder);
        }
    }
    exports.Crowd = Crowd;
    class SendLimit {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        perSecondMax() {
            return this.bb.readUint32(this.bb_pos);
        }
        bytesMax() {
            return this.bb.readUint32(this.bb_pos + 4);
        }
        static sizeOf() {
            return 8;
        }
        static createSendLimit(builder, per_second_max, bytes_max) {
            builder.prep(4, 8);
            builder.writeInt32(bytes_max);
            builder.writeInt32(per_second_max);
            return builder.offset();
        }
    }
    exports.SendLimit = SendLimit;
    class StateSlot {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsStateSlot(bb, obj) {
            return (obj || new StateSlot()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsStateSlot(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new StateSlot()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        name(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        type() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : SlotType.integer;
        }
        writer() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : SlotWriter.service;
        }
        audience() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : SlotAudience.all;
        }
        radiusMm() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        layers() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        bytesMax() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        static startStateSlot(builder) {
            builder.startObject(7);
        }
        static addName(builder, nameOffset) {
            builder.addFieldOffset(0, nameOffset, 0);
        }
        static addType(builder, type) {
            builder.addFieldInt8(1, type, SlotType.integer);
        }
        static addWriter(builder, writer) {
            builder.addFieldInt8(2, writer, SlotWriter.service);
        }
        static addAudience(builder, audience) {
            builder.addFieldInt8(3, audience, SlotAudience.all);
        }
        static addRadiusMm(builder, radiusMm) {
            builder.addFieldInt32(4, radiusMm, 0);
        }
        static addLayers(builder, layers) {
            builder.addFieldInt32(5, layers, 0);
        }
        static addBytesMax(builder, bytesMax) {
            builder.addFieldInt32(6, bytesMax, 0);
        }
        static endStateSlot(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // name
            return offset;
        }
        static createStateSlot(builder, nameOffset, type, writer, audience, radiusMm, layers, bytesMax) {
            StateSlot.startStateSlot(builder);
            StateSlot.addName(builder, nameOffset);
            StateSlot.addType(builder, type);
            StateSlot.addWriter(builder, writer);
            StateSlot.addAudience(builder, audience);
            StateSlot.addRadiusMm(builder, radiusMm);
            StateSlot.addLayers(builder, layers);
            StateSlot.addBytesMax(builder, bytesMax);
            return StateSlot.endStateSlot(builder);
        }
    }
    exports.StateSlot = StateSlot;
    class Welcome {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsWelcome(bb, obj) {
            return (obj || new Welcome()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsWelcome(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Welcome()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        protocolMajor() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        protocolMinor() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        tick() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        tickRateHz() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        dimensions() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : 0;
        }
        worldMin(obj) {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        worldMax(obj) {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        spawn(obj) {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        view(obj) {
            const offset = this.bb.__offset(this.bb_pos, 22);
            return offset ? (obj || new View()).__init(this.bb.__indirect(this.bb_pos + offset), this.bb) : null;
        }
        leaveRadiusMmMax() {
            const offset = this.bb.__offset(this.bb_pos, 24);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        crowd(obj) {
            const offset = this.bb.__offset(this.bb_pos, 26);
            return offset ? (obj || new Crowd()).__init(this.bb.__indirect(this.bb_pos + offset), this.bb) : null;
        }
        serverTimeUs() {
            const offset = this.bb.__offset(this.bb_pos, 28);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        quantumMm() {
            const offset = this.bb.__offset(this.bb_pos, 30);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 1;
        }
        resumeToken(index) {
            const offset = this.bb.__offset(this.bb_pos, 32);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        resumeTokenLength() {
            const offset = this.bb.__offset(this.bb_pos, 32);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        resumeTokenArray() {
            const offset = this.bb.__offset(this.bb_pos, 32);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        resumeGraceMs() {
            const offset = this.bb.__offset(this.bb_pos, 34);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        resumed() {
            const offset = this.bb.__offset(this.bb_pos, 36);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        statesPerSecondMax() {
            const offset = this.bb.__offset(this.bb_pos, 38);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        messages(obj) {
            const offset = this.bb.__offset(this.bb_pos, 40);
            return offset ? (obj || new SendLimit()).__init(this.bb_pos + offset, this.bb) : null;
        }
        messageNumber() {
            const offset = this.bb.__offset(this.bb_pos, 42);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        slots(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 44);
            return offset ? (obj || new StateSlot()).__init(this.bb.__indirect(this.bb.__vector(this.bb_pos + offset) + index * 4), this.bb) : null;
        }
        slotsLength() {
            const offset = this.bb.__offset(this.bb_pos, 44);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        framesHz() {
            const offset = this.bb.__offset(this.bb_pos, 46);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        predictionErrorMm() {
            const offset = this.bb.__offset(this.bb_pos, 48);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        predictionMsMax() {
            const offset = this.bb.__offset(this.bb_pos, 50);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        restartGraceMs() {
            const offset = this.bb.__offset(this.bb_pos, 52);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        static startWelcome(builder) {
            builder.startObject(25);
        }
        static addProtocolMajor(builder, protocolMajor) {
            builder.addFieldInt16(0, protocolMajor, 0);
        }
        static addProtocolMinor(builder, protocolMinor) {
            builder.addFieldInt16(1, protocolMinor, 0);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(2, entity, BigInt('0'));
        }
        static addTick(builder, tick) {
            builder.addFieldInt64(3, tick, BigInt('0'));
        }
        static addTickRateHz(builder, tickRateHz) {
            builder.addFieldInt16(4, tickRateHz, 0);
        }
        static addDimensions(builder, dimensions) {
            builder.addFieldInt8(5, dimensions, 0);
        }
        static addWorldMin(builder, worldMinOffset) {
            builder.addFieldStruct(6, worldMinOffset, 0);
        }
        static addWorldMax(builder, worldMaxOffset) {
            builder.addFieldStruct(7, worldMaxOffset, 0);
        }
        static addSpawn(builder, spawnOffset) {
            builder.addFieldStruct(8, spawnOffset, 0);
        }
        static addView(builder, viewOffset) {
            builder.addFieldOffset(9, viewOffset, 0);
        }
        static addLeaveRadiusMmMax(builder, leaveRadiusMmMax) {
            builder.addFieldInt32(10, leaveRadiusMmMax, 0);
        }
        static addCrowd(builder, crowdOffset) {
            builder.addFieldOffset(11, crowdOffset, 0);
        }
        static addServerTimeUs(builder, serverTimeUs) {
            builder.addFieldInt64(12, serverTimeUs, BigInt('0'));
        }
        static addQuantumMm(builder, quantumMm) {
            builder.addFieldInt32(13, quantumMm, 1);
        }
        static addResumeToken(builder, resumeTokenOffset) {
            builder.addFieldOffset(14, resumeTokenOffset, 0);
        }
        static createResumeTokenVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startResumeTokenVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addResumeGraceMs(builder, resumeGraceMs) {
            builder.addFieldInt32(15, resumeGraceMs, 0);
        }
        static addResumed(builder, resumed) {
            builder.addFieldInt8(16, +resumed, +false);
        }
        static addStatesPerSecondMax(builder, statesPerSecondMax) {
            builder.addFieldInt32(17, statesPerSecondMax, 0);
        }
        static addMessages(builder, messagesOffset) {
            builder.addFieldStruct(18, messagesOffset, 0);
        }
        static addMessageNumber(builder, messageNumber) {
            builder.addFieldInt32(19, messageNumber, 0);
        }
        static addSlots(builder, slotsOffset) {
            builder.addFieldOffset(20, slotsOffset, 0);
        }
        static createSlotsVector(builder, data) {
            builder.startVector(4, data.length, 4);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addOffset(data[i]);
            }
            return builder.endVector();
        }
        static startSlotsVector(builder, numElems) {
            builder.startVector(4, numElems, 4);
        }
        static addFramesHz(builder, framesHz) {
            builder.addFieldInt16(21, framesHz, 0);
        }
        static addPredictionErrorMm(builder, predictionErrorMm) {
            builder.addFieldInt32(22, predictionErrorMm, 0);
        }
        static addPredictionMsMax(builder, predictionMsMax) {
            builder.addFieldInt32(23, predictionMsMax, 0);
        }
        static addRestartGraceMs(builder, restartGraceMs) {
            builder.addFieldInt32(24, restartGraceMs, 0);
        }
        static endWelcome(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 16); // world_min
            builder.requiredField(offset, 18); // world_max
            builder.requiredField(offset, 20); // spawn
            builder.requiredField(offset, 22); // view
            return offset;
        }
    }
    exports.Welcome = Welcome;
    class Pong {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPong(bb, obj) {
            return (obj || new Pong()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPong(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Pong()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        nonce() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        tick() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        safeTick() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        static startPong(builder) {
            builder.startObject(3);
        }
        static addNonce(builder, nonce) {
            builder.addFieldInt64(0, nonce, BigInt('0'));
        }
        static addTick(builder, tick) {
            builder.addFieldInt64(1, tick, BigInt('0'));
        }
        static addSafeTick(builder, safeTick) {
            builder.addFieldInt64(2, safeTick, BigInt('0'));
        }
        static endPong(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createPong(builder, nonce, tick, safeTick) {
            Pong.startPong(builder);
            Pong.addNonce(builder, nonce);
            Pong.addTick(builder, tick);
            Pong.addSafeTick(builder, safeTick);
            return Pong.endPong(builder);
        }
    }
    exports.Pong = Pong;
    class Left {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        entity() {
            return this.bb.readUint64(this.bb_pos);
        }
        reason() {
            return this.bb.readUint8(this.bb_pos + 8);
        }
        static sizeOf() {
            return 16;
        }
        static createLeft(builder, entity, reason) {
            builder.prep(8, 16);
            builder.pad(7);
            builder.writeInt8(reason);
            builder.writeInt64(entity);
            return builder.offset();
        }
    }
    exports.Left = Left;
    class Entered {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsEntered(bb, obj) {
            return (obj || new Entered()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsEntered(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Entered()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        position(obj) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        state(index) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        stateLength() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        stateArray() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        velocity(obj) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? (obj || new Velocity()).__init(this.bb_pos + offset, this.bb) : null;
        }
        static startEntered(builder) {
            builder.startObject(5);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(1, kind, 0);
        }
        static addPosition(builder, positionOffset) {
            builder.addFieldStruct(2, positionOffset, 0);
        }
        static addState(builder, stateOffset) {
            builder.addFieldOffset(3, stateOffset, 0);
        }
        static createStateVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startStateVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addVelocity(builder, velocityOffset) {
            builder.addFieldStruct(4, velocityOffset, 0);
        }
        static endEntered(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 8); // position
            return offset;
        }
    }
    exports.Entered = Entered;
    class MessageDelivered {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsMessageDelivered(bb, obj) {
            return (obj || new MessageDelivered()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsMessageDelivered(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new MessageDelivered()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        payload(index) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        payloadLength() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        payloadArray() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        source() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        static startMessageDelivered(builder) {
            builder.startObject(3);
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(0, kind, 0);
        }
        static addPayload(builder, payloadOffset) {
            builder.addFieldOffset(1, payloadOffset, 0);
        }
        static createPayloadVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startPayloadVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addSource(builder, source) {
            builder.addFieldInt64(2, source, BigInt('0'));
        }
        static endMessageDelivered(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createMessageDelivered(builder, kind, payloadOffset, source) {
            MessageDelivered.startMessageDelivered(builder);
            MessageDelivered.addKind(builder, kind);
            MessageDelivered.addPayload(builder, payloadOffset);
            MessageDelivered.addSource(builder, source);
            return MessageDelivered.endMessageDelivered(builder);
        }
    }
    exports.MessageDelivered = MessageDelivered;
    class Correction {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        number() {
            return this.bb.readUint32(this.bb_pos);
        }
        position(obj) {
            return (obj || new Position()).__init(this.bb_pos + 4, this.bb);
        }
        static sizeOf() {
            return 16;
        }
        static createCorrection(builder, number, position_x, position_y, position_z) {
            builder.prep(4, 16);
            builder.prep(4, 12);
            builder.writeInt32(position_z);
            builder.writeInt32(position_y);
            builder.writeInt32(position_x);
            builder.writeInt32(number);
            return builder.offset();
        }
    }
    exports.Correction = Correction;
    class Frame {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsFrame(bb, obj) {
            return (obj || new Frame()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsFrame(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Frame()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        tick() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        moveAck() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        borderStale() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        leaves(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? (obj || new Left()).__init(this.bb.__vector(this.bb_pos + offset) + index * 16, this.bb) : null;
        }
        leavesLength() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        enters(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? (obj || new Entered()).__init(this.bb.__indirect(this.bb.__vector(this.bb_pos + offset) + index * 4), this.bb) : null;
        }
        entersLength() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        moves(index) {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        movesLength() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        movesArray() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        timeScale() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : 100;
        }
        isCapped() {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        isSlowed() {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        isOverBudget() {
            const offset = this.bb.__offset(this.bb_pos, 22);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        serverTimeUs() {
            const offset = this.bb.__offset(this.bb_pos, 24);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        states(index) {
            const offset = this.bb.__offset(this.bb_pos, 26);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        statesLength() {
            const offset = this.bb.__offset(this.bb_pos, 26);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        statesArray() {
            const offset = this.bb.__offset(this.bb_pos, 26);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        isKeyframe() {
            const offset = this.bb.__offset(this.bb_pos, 28);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        correction(obj) {
            const offset = this.bb.__offset(this.bb_pos, 30);
            return offset ? (obj || new Correction()).__init(this.bb_pos + offset, this.bb) : null;
        }
        watcher() {
            const offset = this.bb.__offset(this.bb_pos, 32);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        isFilling() {
            const offset = this.bb.__offset(this.bb_pos, 34);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        messages(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 36);
            return offset ? (obj || new MessageDelivered()).__init(this.bb.__indirect(this.bb.__vector(this.bb_pos + offset) + index * 4), this.bb) : null;
        }
        messagesLength() {
            const offset = this.bb.__offset(this.bb_pos, 36);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        messagesLost() {
            const offset = this.bb.__offset(this.bb_pos, 38);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        static startFrame(builder) {
            builder.startObject(18);
        }
        static addTick(builder, tick) {
            builder.addFieldInt64(0, tick, BigInt('0'));
        }
        static addMoveAck(builder, moveAck) {
            builder.addFieldInt32(1, moveAck, 0);
        }
        static addBorderStale(builder, borderStale) {
            builder.addFieldInt8(2, +borderStale, +false);
        }
        static addLeaves(builder, leavesOffset) {
            builder.addFieldOffset(3, leavesOffset, 0);
        }
        static startLeavesVector(builder, numElems) {
            builder.startVector(16, numElems, 8);
        }
        static addEnters(builder, entersOffset) {
            builder.addFieldOffset(4, entersOffset, 0);
        }
        static createEntersVector(builder, data) {
            builder.startVector(4, data.length, 4);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addOffset(data[i]);
            }
            return builder.endVector();
        }
        static startEntersVector(builder, numElems) {
            builder.startVector(4, numElems, 4);
        }
        static addMoves(builder, movesOffset) {
            builder.addFieldOffset(5, movesOffset, 0);
        }
        static createMovesVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startMovesVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addTimeScale(builder, timeScale) {
            builder.addFieldInt8(6, timeScale, 100);
        }
        static addIsCapped(builder, isCapped) {
            builder.addFieldInt8(7, +isCapped, +false);
        }
        static addIsSlowed(builder, isSlowed) {
            builder.addFieldInt8(8, +isSlowed, +false);
        }
        static addIsOverBudget(builder, isOverBudget) {
            builder.addFieldInt8(9, +isOverBudget, +false);
        }
        static addServerTimeUs(builder, serverTimeUs) {
            builder.addFieldInt64(10, serverTimeUs, BigInt('0'));
        }
        static addStates(builder, statesOffset) {
            builder.addFieldOffset(11, statesOffset, 0);
        }
        static createStatesVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startStatesVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addIsKeyframe(builder, isKeyframe) {
            builder.addFieldInt8(12, +isKeyframe, +false);
        }
        static addCorrection(builder, correctionOffset) {
            builder.addFieldStruct(13, correctionOffset, 0);
        }
        static addWatcher(builder, watcher) {
            builder.addFieldInt64(14, watcher, BigInt('0'));
        }
        static addIsFilling(builder, isFilling) {
            builder.addFieldInt8(15, +isFilling, +false);
        }
        static addMessages(builder, messagesOffset) {
            builder.addFieldOffset(16, messagesOffset, 0);
        }
        static createMessagesVector(builder, data) {
            builder.startVector(4, data.length, 4);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addOffset(data[i]);
            }
            return builder.endVector();
        }
        static startMessagesVector(builder, numElems) {
            builder.startVector(4, numElems, 4);
        }
        static addMessagesLost(builder, messagesLost) {
            builder.addFieldInt8(17, +messagesLost, +false);
        }
        static endFrame(builder) {
            const offset = builder.endObject();
            return offset;
        }
    }
    exports.Frame = Frame;
    class Error {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsError(bb, obj) {
            return (obj || new Error()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsError(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Error()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        code() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        text(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        static startError(builder) {
            builder.startObject(2);
        }
        static addCode(builder, code) {
            builder.addFieldInt16(0, code, 0);
        }
        static addText(builder, textOffset) {
            builder.addFieldOffset(1, textOffset, 0);
        }
        static endError(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createError(builder, code, textOffset) {
            Error.startError(builder);
            Error.addCode(builder, code);
            Error.addText(builder, textOffset);
            return Error.endError(builder);
        }
    }
    exports.Error = Error;
    class SpawnedOne {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        entity() {
            return this.bb.readUint64(this.bb_pos);
        }
        ref() {
            return this.bb.readUint32(this.bb_pos + 8);
        }
        static sizeOf() {
            return 16;
        }
        static createSpawnedOne(builder, entity, ref) {
            builder.prep(8, 16);
            builder.pad(4);
            builder.writeInt32(ref);
            builder.writeInt64(entity);
            return builder.offset();
        }
    }
    exports.SpawnedOne = SpawnedOne;
    class ServiceWelcome {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsServiceWelcome(bb, obj) {
            return (obj || new ServiceWelcome()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsServiceWelcome(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new ServiceWelcome()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        protocolMajor() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        protocolMinor() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        tick() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        serverTimeUs() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        tickRateHz() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        dimensions() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : 0;
        }
        worldMin(obj) {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        worldMax(obj) {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        leaveRadiusMmMax() {
            const offset = this.bb.__offset(this.bb_pos, 20);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        notifyLeaveRadiusMmMax() {
            const offset = this.bb.__offset(this.bb_pos, 22);
            return offset ? this.bb.readInt32(this.bb_pos + offset) : 0;
        }
        quantumMm() {
            const offset = this.bb.__offset(this.bb_pos, 24);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 1;
        }
        resumeToken(index) {
            const offset = this.bb.__offset(this.bb_pos, 26);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        resumeTokenLength() {
            const offset = this.bb.__offset(this.bb_pos, 26);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        resumeTokenArray() {
            const offset = this.bb.__offset(this.bb_pos, 26);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        resumeGraceMs() {
            const offset = this.bb.__offset(this.bb_pos, 28);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        resumed() {
            const offset = this.bb.__offset(this.bb_pos, 30);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        messageBytesMax() {
            const offset = this.bb.__offset(this.bb_pos, 32);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        entitiesMax() {
            const offset = this.bb.__offset(this.bb_pos, 34);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        watchersMax() {
            const offset = this.bb.__offset(this.bb_pos, 36);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        entities(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 38);
            return offset ? (obj || new SpawnedOne()).__init(this.bb.__vector(this.bb_pos + offset) + index * 16, this.bb) : null;
        }
        entitiesLength() {
            const offset = this.bb.__offset(this.bb_pos, 38);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        slots(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 40);
            return offset ? (obj || new StateSlot()).__init(this.bb.__indirect(this.bb.__vector(this.bb_pos + offset) + index * 4), this.bb) : null;
        }
        slotsLength() {
            const offset = this.bb.__offset(this.bb_pos, 40);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        restartGraceMs() {
            const offset = this.bb.__offset(this.bb_pos, 42);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        static startServiceWelcome(builder) {
            builder.startObject(20);
        }
        static addProtocolMajor(builder, protocolMajor) {
            builder.addFieldInt16(0, protocolMajor, 0);
        }
        static addProtocolMinor(builder, protocolMinor) {
            builder.addFieldInt16(1, protocolMinor, 0);
        }
        static addTick(builder, tick) {
            builder.addFieldInt64(2, tick, BigInt('0'));
        }
        static addServerTimeUs(builder, serverTimeUs) {
            builder.addFieldInt64(3, serverTimeUs, BigInt('0'));
        }
        static addTickRateHz(builder, tickRateHz) {
            builder.addFieldInt16(4, tickRateHz, 0);
        }
        static addDimensions(builder, dimensions) {
            builder.addFieldInt8(5, dimensions, 0);
        }
        static addWorldMin(builder, worldMinOffset) {
            builder.addFieldStruct(6, worldMinOffset, 0);
        }
        static addWorldMax(builder, worldMaxOffset) {
            builder.addFieldStruct(7, worldMaxOffset, 0);
        }
        static addLeaveRadiusMmMax(builder, leaveRadiusMmMax) {
            builder.addFieldInt32(8, leaveRadiusMmMax, 0);
        }
        static addNotifyLeaveRadiusMmMax(builder, notifyLeaveRadiusMmMax) {
            builder.addFieldInt32(9, notifyLeaveRadiusMmMax, 0);
        }
        static addQuantumMm(builder, quantumMm) {
            builder.addFieldInt32(10, quantumMm, 1);
        }
        static addResumeToken(builder, resumeTokenOffset) {
            builder.addFieldOffset(11, resumeTokenOffset, 0);
        }
        static createResumeTokenVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startResumeTokenVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addResumeGraceMs(builder, resumeGraceMs) {
            builder.addFieldInt32(12, resumeGraceMs, 0);
        }
        static addResumed(builder, resumed) {
            builder.addFieldInt8(13, +resumed, +false);
        }
        static addMessageBytesMax(builder, messageBytesMax) {
            builder.addFieldInt32(14, messageBytesMax, 0);
        }
        static addEntitiesMax(builder, entitiesMax) {
            builder.addFieldInt32(15, entitiesMax, 0);
        }
        static addWatchersMax(builder, watchersMax) {
            builder.addFieldInt32(16, watchersMax, 0);
        }
        static addEntities(builder, entitiesOffset) {
            builder.addFieldOffset(17, entitiesOffset, 0);
        }
        static startEntitiesVector(builder, numElems) {
            builder.startVector(16, numElems, 8);
        }
        static addSlots(builder, slotsOffset) {
            builder.addFieldOffset(18, slotsOffset, 0);
        }
        static createSlotsVector(builder, data) {
            builder.startVector(4, data.length, 4);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addOffset(data[i]);
            }
            return builder.endVector();
        }
        static startSlotsVector(builder, numElems) {
            builder.startVector(4, numElems, 4);
        }
        static addRestartGraceMs(builder, restartGraceMs) {
            builder.addFieldInt32(19, restartGraceMs, 0);
        }
        static endServiceWelcome(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 16); // world_min
            builder.requiredField(offset, 18); // world_max
            return offset;
        }
    }
    exports.ServiceWelcome = ServiceWelcome;
    class Spawned {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsSpawned(bb, obj) {
            return (obj || new Spawned()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsSpawned(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Spawned()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entities(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? (obj || new SpawnedOne()).__init(this.bb.__vector(this.bb_pos + offset) + index * 16, this.bb) : null;
        }
        entitiesLength() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        static startSpawned(builder) {
            builder.startObject(1);
        }
        static addEntities(builder, entitiesOffset) {
            builder.addFieldOffset(0, entitiesOffset, 0);
        }
        static startEntitiesVector(builder, numElems) {
            builder.startVector(16, numElems, 8);
        }
        static endSpawned(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // entities
            return offset;
        }
        static createSpawned(builder, entitiesOffset) {
            Spawned.startSpawned(builder);
            Spawned.addEntities(builder, entitiesOffset);
            return Spawned.endSpawned(builder);
        }
    }
    exports.Spawned = Spawned;
    class PlayerJoined {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPlayerJoined(bb, obj) {
            return (obj || new PlayerJoined()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPlayerJoined(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new PlayerJoined()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        position(obj) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        state(index) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        stateLength() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        stateArray() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        subject(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        claims(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        carried(index) {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        carriedLength() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        carriedArray() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        request() {
            const offset = this.bb.__offset(this.bb_pos, 18);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        static startPlayerJoined(builder) {
            builder.startObject(8);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(1, kind, 0);
        }
        static addPosition(builder, positionOffset) {
            builder.addFieldStruct(2, positionOffset, 0);
        }
        static addState(builder, stateOffset) {
            builder.addFieldOffset(3, stateOffset, 0);
        }
        static createStateVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startStateVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addSubject(builder, subjectOffset) {
            builder.addFieldOffset(4, subjectOffset, 0);
        }
        static addClaims(builder, claimsOffset) {
            builder.addFieldOffset(5, claimsOffset, 0);
        }
        static addCarried(builder, carriedOffset) {
            builder.addFieldOffset(6, carriedOffset, 0);
        }
        static createCarriedVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startCarriedVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addRequest(builder, request) {
            builder.addFieldInt64(7, request, BigInt('0'));
        }
        static endPlayerJoined(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 8); // position
            return offset;
        }
    }
    exports.PlayerJoined = PlayerJoined;
    class PlayerLeft {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPlayerLeft(bb, obj) {
            return (obj || new PlayerLeft()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPlayerLeft(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new PlayerLeft()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        reason() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : PlayerLeftReason.none;
        }
        static startPlayerLeft(builder) {
            builder.startObject(2);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addReason(builder, reason) {
            builder.addFieldInt8(1, reason, PlayerLeftReason.none);
        }
        static endPlayerLeft(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createPlayerLeft(builder, entity, reason) {
            PlayerLeft.startPlayerLeft(builder);
            PlayerLeft.addEntity(builder, entity);
            PlayerLeft.addReason(builder, reason);
            return PlayerLeft.endPlayerLeft(builder);
        }
    }
    exports.PlayerLeft = PlayerLeft;
    class CommandRefused {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsCommandRefused(bb, obj) {
            return (obj || new CommandRefused()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsCommandRefused(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new CommandRefused()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        command() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : 0;
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        ref() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        reason() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : RefusalReason.none;
        }
        static startCommandRefused(builder) {
            builder.startObject(4);
        }
        static addCommand(builder, command) {
            builder.addFieldInt8(0, command, 0);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(1, entity, BigInt('0'));
        }
        static addRef(builder, ref) {
            builder.addFieldInt32(2, ref, 0);
        }
        static addReason(builder, reason) {
            builder.addFieldInt8(3, reason, RefusalReason.none);
        }
        static endCommandRefused(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createCommandRefused(builder, command, entity, ref, reason) {
            CommandRefused.startCommandRefused(builder);
            CommandRefused.addCommand(builder, command);
            CommandRefused.addEntity(builder, entity);
            CommandRefused.addRef(builder, ref);
            CommandRefused.addReason(builder, reason);
            return CommandRefused.endCommandRefused(builder);
        }
    }
    exports.CommandRefused = CommandRefused;
    class Transfer {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsTransfer(bb, obj) {
            return (obj || new Transfer()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsTransfer(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Transfer()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        address(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        token(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        carried(index) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        carriedLength() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        carriedArray() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        static startTransfer(builder) {
            builder.startObject(3);
        }
        static addAddress(builder, addressOffset) {
            builder.addFieldOffset(0, addressOffset, 0);
        }
        static addToken(builder, tokenOffset) {
            builder.addFieldOffset(1, tokenOffset, 0);
        }
        static addCarried(builder, carriedOffset) {
            builder.addFieldOffset(2, carriedOffset, 0);
        }
        static createCarriedVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startCarriedVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static endTransfer(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 4); // address
            return offset;
        }
        static createTransfer(builder, addressOffset, tokenOffset, carriedOffset) {
            Transfer.startTransfer(builder);
            Transfer.addAddress(builder, addressOffset);
            Transfer.addToken(builder, tokenOffset);
            Transfer.addCarried(builder, carriedOffset);
            return Transfer.endTransfer(builder);
        }
    }
    exports.Transfer = Transfer;
    class Notice {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsNotice(bb, obj) {
            return (obj || new Notice()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsNotice(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Notice()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        text(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        stopsInMs() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        static startNotice(builder) {
            builder.startObject(2);
        }
        static addText(builder, textOffset) {
            builder.addFieldOffset(0, textOffset, 0);
        }
        static addStopsInMs(builder, stopsInMs) {
            builder.addFieldInt32(1, stopsInMs, 0);
        }
        static endNotice(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createNotice(builder, textOffset, stopsInMs) {
            Notice.startNotice(builder);
            Notice.addText(builder, textOffset);
            Notice.addStopsInMs(builder, stopsInMs);
            return Notice.endNotice(builder);
        }
    }
    exports.Notice = Notice;
    class PlayerAway {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPlayerAway(bb, obj) {
            return (obj || new PlayerAway()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPlayerAway(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new PlayerAway()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        graceMs() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        static startPlayerAway(builder) {
            builder.startObject(2);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addGraceMs(builder, graceMs) {
            builder.addFieldInt32(1, graceMs, 0);
        }
        static endPlayerAway(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createPlayerAway(builder, entity, graceMs) {
            PlayerAway.startPlayerAway(builder);
            PlayerAway.addEntity(builder, entity);
            PlayerAway.addGraceMs(builder, graceMs);
            return PlayerAway.endPlayerAway(builder);
        }
    }
    exports.PlayerAway = PlayerAway;
    class PlayerBack {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPlayerBack(bb, obj) {
            return (obj || new PlayerBack()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPlayerBack(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new PlayerBack()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        claims(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        static startPlayerBack(builder) {
            builder.startObject(2);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addClaims(builder, claimsOffset) {
            builder.addFieldOffset(1, claimsOffset, 0);
        }
        static endPlayerBack(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createPlayerBack(builder, entity, claimsOffset) {
            PlayerBack.startPlayerBack(builder);
            PlayerBack.addEntity(builder, entity);
            PlayerBack.addClaims(builder, claimsOffset);
            return PlayerBack.endPlayerBack(builder);
        }
    }
    exports.PlayerBack = PlayerBack;
    class PlayerMessage {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPlayerMessage(bb, obj) {
            return (obj || new PlayerMessage()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPlayerMessage(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new PlayerMessage()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        tick() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        position(obj) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        payload(index) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        payloadLength() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        payloadArray() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        static startPlayerMessage(builder) {
            builder.startObject(5);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(1, kind, 0);
        }
        static addTick(builder, tick) {
            builder.addFieldInt64(2, tick, BigInt('0'));
        }
        static addPosition(builder, positionOffset) {
            builder.addFieldStruct(3, positionOffset, 0);
        }
        static addPayload(builder, payloadOffset) {
            builder.addFieldOffset(4, payloadOffset, 0);
        }
        static createPayloadVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startPayloadVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static endPlayerMessage(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 10); // position
            return offset;
        }
    }
    exports.PlayerMessage = PlayerMessage;
    class PlayerAsks {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPlayerAsks(bb, obj) {
            return (obj || new PlayerAsks()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPlayerAsks(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new PlayerAsks()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        request() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        kind() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : 0;
        }
        spawn(obj) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        subject(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        claims(optionalEncoding) {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.__string(this.bb_pos + offset, optionalEncoding) : null;
        }
        carried(index) {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.readUint8(this.bb.__vector(this.bb_pos + offset) + index) : 0;
        }
        carriedLength() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        carriedArray() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? new Uint8Array(this.bb.bytes().buffer, this.bb.bytes().byteOffset + this.bb.__vector(this.bb_pos + offset), this.bb.__vector_len(this.bb_pos + offset)) : null;
        }
        waitMs() {
            const offset = this.bb.__offset(this.bb_pos, 16);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        static startPlayerAsks(builder) {
            builder.startObject(7);
        }
        static addRequest(builder, request) {
            builder.addFieldInt64(0, request, BigInt('0'));
        }
        static addKind(builder, kind) {
            builder.addFieldInt16(1, kind, 0);
        }
        static addSpawn(builder, spawnOffset) {
            builder.addFieldStruct(2, spawnOffset, 0);
        }
        static addSubject(builder, subjectOffset) {
            builder.addFieldOffset(3, subjectOffset, 0);
        }
        static addClaims(builder, claimsOffset) {
            builder.addFieldOffset(4, claimsOffset, 0);
        }
        static addCarried(builder, carriedOffset) {
            builder.addFieldOffset(5, carriedOffset, 0);
        }
        static createCarriedVector(builder, data) {
            builder.startVector(1, data.length, 1);
            for (let i = data.length - 1; i >= 0; i--) {
                builder.addInt8(data[i]);
            }
            return builder.endVector();
        }
        static startCarriedVector(builder, numElems) {
            builder.startVector(1, numElems, 1);
        }
        static addWaitMs(builder, waitMs) {
            builder.addFieldInt32(6, waitMs, 0);
        }
        static endPlayerAsks(builder) {
            const offset = builder.endObject();
            return offset;
        }
    }
    exports.PlayerAsks = PlayerAsks;
    class MessagesLost {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsMessagesLost(bb, obj) {
            return (obj || new MessagesLost()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsMessagesLost(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new MessagesLost()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        count() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        static startMessagesLost(builder) {
            builder.startObject(1);
        }
        static addCount(builder, count) {
            builder.addFieldInt64(0, count, BigInt('0'));
        }
        static endMessagesLost(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createMessagesLost(builder, count) {
            MessagesLost.startMessagesLost(builder);
            MessagesLost.addCount(builder, count);
            return MessagesLost.endMessagesLost(builder);
        }
    }
    exports.MessagesLost = MessagesLost;
    class PlayerMove {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPlayerMove(bb, obj) {
            return (obj || new PlayerMove()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPlayerMove(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new PlayerMove()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        entity() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        seq() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint32(this.bb_pos + offset) : 0;
        }
        tick() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        position(obj) {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? (obj || new Position()).__init(this.bb_pos + offset, this.bb) : null;
        }
        facing() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? this.bb.readUint16(this.bb_pos + offset) : null;
        }
        velocity(obj) {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? (obj || new Velocity()).__init(this.bb_pos + offset, this.bb) : null;
        }
        static startPlayerMove(builder) {
            builder.startObject(6);
        }
        static addEntity(builder, entity) {
            builder.addFieldInt64(0, entity, BigInt('0'));
        }
        static addSeq(builder, seq) {
            builder.addFieldInt32(1, seq, 0);
        }
        static addTick(builder, tick) {
            builder.addFieldInt64(2, tick, BigInt('0'));
        }
        static addPosition(builder, positionOffset) {
            builder.addFieldStruct(3, positionOffset, 0);
        }
        static addFacing(builder, facing) {
            builder.addFieldInt16(4, facing, 0);
        }
        static addVelocity(builder, velocityOffset) {
            builder.addFieldStruct(5, velocityOffset, 0);
        }
        static endPlayerMove(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 10); // position
            return offset;
        }
    }
    exports.PlayerMove = PlayerMove;
    class Placed {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        step() {
            return this.bb.readUint32(this.bb_pos);
        }
        position(obj) {
            return (obj || new Position()).__init(this.bb_pos + 4, this.bb);
        }
        static sizeOf() {
            return 16;
        }
        static createPlaced(builder, step, position_x, position_y, position_z) {
            builder.prep(4, 16);
            builder.prep(4, 12);
            builder.writeInt32(position_z);
            builder.writeInt32(position_y);
            builder.writeInt32(position_x);
            builder.writeInt32(step);
            return builder.offset();
        }
    }
    exports.Placed = Placed;
    class Positions {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPositions(bb, obj) {
            return (obj || new Positions()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPositions(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Positions()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        tick() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        first() {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        players(index, obj) {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? (obj || new Placed()).__init(this.bb.__vector(this.bb_pos + offset) + index * 16, this.bb) : null;
        }
        playersLength() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? this.bb.__vector_len(this.bb_pos + offset) : 0;
        }
        hasMore() {
            const offset = this.bb.__offset(this.bb_pos, 10);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        borderStale() {
            const offset = this.bb.__offset(this.bb_pos, 12);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        ticksLost() {
            const offset = this.bb.__offset(this.bb_pos, 14);
            return offset ? this.bb.readUint64(this.bb_pos + offset) : BigInt('0');
        }
        static startPositions(builder) {
            builder.startObject(6);
        }
        static addTick(builder, tick) {
            builder.addFieldInt64(0, tick, BigInt('0'));
        }
        static addFirst(builder, first) {
            builder.addFieldInt64(1, first, BigInt('0'));
        }
        static addPlayers(builder, playersOffset) {
            builder.addFieldOffset(2, playersOffset, 0);
        }
        static startPlayersVector(builder, numElems) {
            builder.startVector(16, numElems, 4);
        }
        static addHasMore(builder, hasMore) {
            builder.addFieldInt8(3, +hasMore, +false);
        }
        static addBorderStale(builder, borderStale) {
            builder.addFieldInt8(4, +borderStale, +false);
        }
        static addTicksLost(builder, ticksLost) {
            builder.addFieldInt64(5, ticksLost, BigInt('0'));
        }
        static endPositions(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createPositions(builder, tick, first, playersOffset, hasMore, borderStale, ticksLost) {
            Positions.startPositions(builder);
            Positions.addTick(builder, tick);
            Positions.addFirst(builder, first);
            Positions.addPlayers(builder, playersOffset);
            Positions.addHasMore(builder, hasMore);
            Positions.addBorderStale(builder, borderStale);
            Positions.addTicksLost(builder, ticksLost);
            return Positions.endPositions(builder);
        }
    }
    exports.Positions = Positions;
    class PlayersListed {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsPlayersListed(bb, obj) {
            return (obj || new PlayersListed()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsPlayersListed(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new PlayersListed()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static startPlayersListed(builder) {
            builder.startObject(0);
        }
        static endPlayersListed(builder) {
            const offset = builder.endObject();
            return offset;
        }
        static createPlayersListed(builder) {
            PlayersListed.startPlayersListed(builder);
            return PlayersListed.endPlayersListed(builder);
        }
    }
    exports.PlayersListed = PlayersListed;
    class Message {
        constructor() {
            this.bb = null;
            this.bb_pos = 0;
        }
        __init(i, bb) {
            this.bb_pos = i;
            this.bb = bb;
            return this;
        }
        static getRootAsMessage(bb, obj) {
            return (obj || new Message()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        static getSizePrefixedRootAsMessage(bb, obj) {
            bb.setPosition(bb.position() + flatbuffers.SIZE_PREFIX_LENGTH);
            return (obj || new Message()).__init(bb.readInt32(bb.position()) + bb.position(), bb);
        }
        bodyType() {
            const offset = this.bb.__offset(this.bb_pos, 4);
            return offset ? this.bb.readUint8(this.bb_pos + offset) : Body.NONE;
        }
        body(obj) {
            const offset = this.bb.__offset(this.bb_pos, 6);
            return offset ? this.bb.__union(obj, this.bb_pos + offset) : null;
        }
        optional() {
            const offset = this.bb.__offset(this.bb_pos, 8);
            return offset ? !!this.bb.readInt8(this.bb_pos + offset) : false;
        }
        static startMessage(builder) {
            builder.startObject(3);
        }
        static addBodyType(builder, bodyType) {
            builder.addFieldInt8(0, bodyType, Body.NONE);
        }
        static addBody(builder, bodyOffset) {
            builder.addFieldOffset(1, bodyOffset, 0);
        }
        static addOptional(builder, optional) {
            builder.addFieldInt8(2, +optional, +false);
        }
        static endMessage(builder) {
            const offset = builder.endObject();
            builder.requiredField(offset, 6); // body
            return offset;
        }
        static finishMessageBuffer(builder, offset) {
            builder.finish(offset);
        }
        static finishSizePrefixedMessageBuffer(builder, offset) {
            builder.finish(offset, undefined, true);
        }
        static createMessage(builder, bodyType, bodyOffset, optional) {
            Message.startMessage(builder);
            Message.addBodyType(builder, bodyType);
            Message.addBody(builder, bodyOffset);
            Message.addOptional(builder, optional);
            return Message.endMessage(builder);
        }
    }
    exports.Message = Message;
});
define("clients/js/src/messages", ["require", "exports", "clients/js/src/marchland_generated"], function (require, exports, marchland_generated_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.PlayerLeftReason = exports.LeaveReason = exports.protocolMinor = exports.protocolMajor = exports.SlotWriter = exports.SlotType = exports.SlotAudience = exports.Shape = exports.Authority = void 0;
    Object.defineProperty(exports, "Authority", { enumerable: true, get: function () { return marchland_generated_js_1.Authority; } });
    Object.defineProperty(exports, "Shape", { enumerable: true, get: function () { return marchland_generated_js_1.Shape; } });
    Object.defineProperty(exports, "SlotAudience", { enumerable: true, get: function () { return marchland_generated_js_1.SlotAudience; } });
    Object.defineProperty(exports, "SlotType", { enumerable: true, get: function () { return marchland_generated_js_1.SlotType; } });
    Object.defineProperty(exports, "SlotWriter", { enumerable: true, get: function () { return marchland_generated_js_1.SlotWriter; } });
    exports.protocolMajor = 3;
    exports.protocolMinor = 2;
    var LeaveReason;
    (function (LeaveReason) {
        LeaveReason[LeaveReason["gone"] = 1] = "gone";
        LeaveReason[LeaveReason["outOfRange"] = 2] = "outOfRange";
        LeaveReason[LeaveReason["hidden"] = 3] = "hidden";
        LeaveReason[LeaveReason["capped"] = 4] = "capped";
    })(LeaveReason = exports.LeaveReason || (exports.LeaveReason = {}));
    /** `whileAway` is none of the server's: it was gone when the service resumed. */
    var PlayerLeftReason;
    (function (PlayerLeftReason) {
        PlayerLeftReason[PlayerLeftReason["left"] = 1] = "left";
        PlayerLeftReason[PlayerLeftReason["lost"] = 2] = "lost";
        PlayerLeftReason[PlayerLeftReason["removed"] = 3] = "removed";
        PlayerLeftReason[PlayerLeftReason["tooSlow"] = 4] = "tooSlow";
        PlayerLeftReason[PlayerLeftReason["closed"] = 5] = "closed";
        PlayerLeftReason[PlayerLeftReason["transferred"] = 6] = "transferred";
        PlayerLeftReason[PlayerLeftReason["whileAway"] = 255] = "whileAway";
    })(PlayerLeftReason = exports.PlayerLeftReason || (exports.PlayerLeftReason = {}));
});
define("clients/js/src/protocol_error", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.ProtocolError = void 0;
    /** What came is no stream of this protocol: nothing behind it can be read. */
    class ProtocolError extends Error {
        constructor() {
            super(...arguments);
            this.name = "ProtocolError";
        }
    }
    exports.ProtocolError = ProtocolError;
});
define("clients/js/src/packed", ["require", "exports", "clients/js/src/protocol_error"], function (require, exports, protocol_error_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.PackedWriter = exports.PackedReader = void 0;
    /** Throws ProtocolError, with `what` is read. */
    class PackedReader {
        constructor(packed, what) {
            this.packed = packed;
            this.what = what;
            this.at = 0;
        }
        get isAtEnd() {
            return this.at >= this.packed.length;
        }
        varint() {
            let value = 0;
            for (let scale = 1;; scale *= 128) {
                const byte = this.packed[this.at++];
                if (byte === undefined || (byte === 0 && scale > 1)) {
                    throw new protocol_error_js_1.ProtocolError(`${this.what}: a number is cut off, or longer than needed`);
                }
                value += (byte & 0x7f) * scale;
                if (value > Number.MAX_SAFE_INTEGER) {
                    throw new protocol_error_js_1.ProtocolError(`${this.what}: a number of 2^53 or more`);
                }
                if (byte < 0x80) {
                    return value;
                }
            }
        }
        zigzag() {
            const value = this.varint();
            return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
        }
        /** A copy: the frame's memory is not kept. (slice() of Node's Buffer would be no copy.) */
        take(count) {
            const from = this.at;
            this.at += count;
            if (this.at > this.packed.length) {
                throw new protocol_error_js_1.ProtocolError(`${this.what}: cut off`);
            }
            return new Uint8Array(this.packed.subarray(from, this.at));
        }
    }
    exports.PackedReader = PackedReader;
    class PackedWriter {
        constructor() {
            this.out = [];
        }
        varint(value) {
            let rest = value;
            for (; rest >= 128; rest = Math.floor(rest / 128)) {
                this.out.push((rest % 128) + 128);
            }
            this.out.push(rest);
        }
        zigzag(value) {
            this.varint(value < 0 ? -2 * value - 1 : 2 * value);
        }
        bytes(bytes) {
            for (const byte of bytes) {
                this.out.push(byte);
            }
        }
        get packed() {
            return Uint8Array.from(this.out);
        }
    }
    exports.PackedWriter = PackedWriter;
});
define("clients/js/src/packed_moves", ["require", "exports", "clients/js/src/packed", "clients/js/src/protocol_error"], function (require, exports, packed_js_1, protocol_error_js_2) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.positionAfter = exports.afterTicks = exports.packMoves = exports.unpackMoves = exports.stepMaxMm = void 0;
    const differenceMax = 2 ** 32 - 1;
    exports.stepMaxMm = 32767;
    /** What a block begins with whose names are ranks: no head of an entity is this. */
    const ranksFollow = 1;
    /**
     * Calls `take` for each entity, with an object that is used again for the next. Throws ProtocolError. `knownIds`: of all who are known after
     * the frame's leaves and enters, ascending; asked for where the block has ranks.
     */
    function unpackMoves(packed, take, knownIds = () => []) {
        const move = { entity: 0, isRelative: false, x: 0, y: 0, z: 0, velocity: { x: 0, y: 0, z: 0 } };
        const ids = packed[0] === ranksFollow ? knownIds() : undefined;
        let name = 0;
        const reader = new packed_js_1.PackedReader(ids === undefined ? packed : packed.subarray(1), "packed moves");
        const way = () => {
            const quanta = reader.zigzag();
            if (Math.abs(quanta) > differenceMax) {
                throw new protocol_error_js_2.ProtocolError("packed moves: a way that is longer than the world");
            }
            return quanta;
        };
        const velocity = (zFollows) => {
            const step = { x: way(), y: way(), z: zFollows ? way() : 0 };
            const fastest = Math.max(Math.abs(step.x), Math.abs(step.y), Math.abs(step.z));
            if (fastest === 0 || fastest > exports.stepMaxMm) {
                throw new protocol_error_js_2.ProtocolError("packed moves: a velocity that is none, or too fast");
            }
            return step;
        };
        for (let isFirst = true; !reader.isAtEnd; isFirst = false) {
            const head = reader.varint();
            const flags = head % 8;
            const zFollows = flags % 4 >= 2;
            if (head < 8 && !isFirst) {
                throw new protocol_error_js_2.ProtocolError("packed moves: ids that do not ascend");
            }
            if (flags % 4 === 1) {
                throw new protocol_error_js_2.ProtocolError("packed moves: a position without its z");
            }
            name += (head - flags) / 8;
            if (ids !== undefined && name >= ids.length) {
                throw new protocol_error_js_2.ProtocolError(`packed moves: rank ${name}, and ${ids.length} are seen`);
            }
            move.entity = ids?.[name] ?? name;
            move.isRelative = flags % 2 === 0;
            move.x = way();
            move.y = way();
            move.z = zFollows ? way() : 0;
            move.velocity = flags < 4 ? { x: 0, y: 0, z: 0 } : velocity(zFollows);
            take(move);
        }
    }
    exports.unpackMoves = unpackMoves;
    /** For a service's MoveMany, without velocities. Ids must ascend; absolute ones are always written with their z. */
    function packMoves(moves) {
        const out = new packed_js_1.PackedWriter();
        let previous = -1;
        for (const { entity, isRelative, x, y, z, velocity = { x: 0, y: 0, z: 0 } } of moves) {
            if (entity <= previous || ![entity, x, y, z].every(Number.isSafeInteger)) {
                throw new RangeError(`entity ${entity}: ids must ascend, and all numbers be integers`);
            }
            const zFollows = !isRelative || z !== 0 || velocity.z !== 0;
            const hasVelocity = velocity.x !== 0 || velocity.y !== 0 || velocity.z !== 0;
            out.varint((entity - Math.max(previous, 0)) * 8 + (hasVelocity ? 4 : 0) + (zFollows ? 2 : 0) + (isRelative ? 0 : 1));
            for (const way of hasVelocity ? [{ x, y, z }, velocity] : [{ x, y, z }]) {
                out.zigzag(way.x);
                out.zigzag(way.y);
                if (zFollows) {
                    out.zigzag(way.z);
                }
            }
            previous = entity;
        }
        return out.packed;
    }
    exports.packMoves = packMoves;
    /** So many ticks later, in millimetres, at a velocity of that many each. */
    function afterTicks(position, velocity, ticks) {
        const along = (from, each) => Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, from + each * ticks));
        return {
            x: along(position.x, velocity.x), y: along(position.y, velocity.y), z: along(position.z, velocity.z),
        };
    }
    exports.afterTicks = afterTicks;
    /**
     * Where an entity is after a move, in millimetres; throws ProtocolError when that is no position. `shown`: where it
     * was shown by now.
     */
    function positionAfter(move, shown, quantumMm) {
        const from = move.isRelative ? shown : { x: 0, y: 0, z: 0 };
        const position = {
            x: from.x + move.x * quantumMm,
            y: from.y + move.y * quantumMm,
            z: from.z + move.z * quantumMm,
        };
        const isInt32 = (value) => value === (value | 0);
        if (!isInt32(position.x) || !isInt32(position.y) || !isInt32(position.z)) {
            throw new protocol_error_js_2.ProtocolError(`entity ${move.entity}: a position outside of any world`);
        }
        return position;
    }
    exports.positionAfter = positionAfter;
});
define("clients/js/src/packed_state", ["require", "exports", "clients/js/src/messages", "clients/js/src/packed", "clients/js/src/protocol_error"], function (require, exports, messages_js_1, packed_js_2, protocol_error_js_3) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Slots = void 0;
    const slotsMax = 16;
    const integerMax = 2 ** 52 - 1; // of either sign
    /** The slots of a zone, as a Welcome declares them. */
    class Slots {
        constructor(declared = []) {
            this.declared = declared;
            this.numbers = new Map();
            const first = {};
            declared.forEach(({ name, type }, number) => {
                this.numbers.set(name, number);
                first[name] = type === messages_js_1.SlotType.bytes ? new Uint8Array() : 0;
            });
            this.first = first;
        }
        /** `before`, with what is packed. */
        unpack(packed, before = this.first) {
            return packed.length === 0 ? before : this.unpackOne(new packed_js_2.PackedReader(packed, "packed state"), before);
        }
        /** Calls `take` for each entity of a frame, with how its new state is made from the one before. */
        unpackMany(packed, take) {
            const reader = new packed_js_2.PackedReader(packed, "packed state");
            let entity = 0;
            for (let isFirst = true; !reader.isAtEnd; isFirst = false) {
                const step = reader.varint();
                if (step === 0 && !isFirst) {
                    throw new protocol_error_js_3.ProtocolError("packed states: ids that do not ascend");
                }
                entity += step;
                take(entity, (before) => this.unpackOne(reader, before));
            }
        }
        /** For a SetState, a SpawnOne or a ChangeOne. Throws RangeError for a value that is none of its slot. */
        pack(state) {
            const slots = Object.entries(state).map(([name, value]) => {
                const number = this.numberOf(name);
                const { type, bytesMax } = this.declared[number];
                check(name, type, value, bytesMax);
                return { number, type, value };
            });
            slots.sort((a, b) => a.number - b.number);
            const out = new packed_js_2.PackedWriter();
            out.varint(slots.length);
            for (const { number, type, value } of slots) {
                out.varint(number * 4 + type);
                if (typeof value !== "number") {
                    out.varint(value.length);
                    out.bytes(value);
                }
                else if (type === messages_js_1.SlotType.integer) {
                    out.zigzag(value);
                }
                else {
                    out.bytes(new Uint8Array(new Float32Array([value]).buffer));
                }
            }
            return out.packed;
        }
        numberOf(name) {
            const number = this.numbers.get(name);
            if (number === undefined) {
                throw new RangeError(`the zone has no slot '${name}'`);
            }
            return number;
        }
        unpackOne(reader, before) {
            const state = { ...before };
            let last = -1;
            for (let left = reader.varint(); left > 0; --left) {
                const key = reader.take(1)[0];
                const number = key >> 2;
                const slot = this.declared[number];
                if (slot === undefined || number >= slotsMax || number <= last || key % 4 !== slot.type) {
                    throw new protocol_error_js_3.ProtocolError("packed state: a slot that the zone does not have, or out of order");
                }
                last = number;
                state[slot.name] = this.value(reader, slot.type);
            }
            return state;
        }
        value(reader, type) {
            if (type === messages_js_1.SlotType.integer) {
                return reader.zigzag();
            }
            if (type === messages_js_1.SlotType.bytes) {
                return reader.take(reader.varint());
            }
            const bytes = reader.take(4);
            return new DataView(bytes.buffer).getFloat32(0, true);
        }
    }
    exports.Slots = Slots;
    function check(name, type, value, bytesMax) {
        if (type === messages_js_1.SlotType.bytes ? !(value instanceof Uint8Array) : typeof value !== "number") {
            throw new RangeError(`slot '${name}': not ${type === messages_js_1.SlotType.bytes ? "a Uint8Array" : "a number"}`);
        }
        if (typeof value !== "number" && value.length > bytesMax) {
            throw new RangeError(`slot '${name}': ${value.length} bytes, where ${bytesMax} are the most that it has`);
        }
        if (type === messages_js_1.SlotType.integer && !(Number.isInteger(value) && Math.abs(value) <= integerMax)) {
            throw new RangeError(`slot '${name}': ${String(value)} is no integer of less than 2^52`);
        }
    }
});
define("clients/js/src/world", ["require", "exports", "clients/js/src/packed_moves", "clients/js/src/packed_state", "clients/js/src/protocol_error"], function (require, exports, packed_moves_js_1, packed_state_js_1, protocol_error_js_4) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.World = void 0;
    /**
     * Who a client sees: frames in, a map out.
     *
     * Order    `seen` is in the order of entering. What apply() returns is in the order of the frame.
     * Errors   ProtocolError for a frame that does not fit what is known. The world is then of no use until
     *          the next keyframe.
     */
    class World {
        /** `own`: the client's entity. */
        constructor(quantumMm, slots = new packed_state_js_1.Slots(), own = 0) {
            this.quantumMm = quantumMm;
            this.slots = slots;
            this.own = own;
            this.known = new Map();
            this.newestTick = 0;
            /** Those that moved in the frame that is applied, as they were. */
            this.before = new Map();
            this.ownState = slots.first;
        }
        /** Is that still its zone's quantum, and its slots? A restart of the zone may change both. */
        fits({ quantumMm, slots }) {
            return quantumMm === this.quantumMm && JSON.stringify(slots) === JSON.stringify(this.slots.declared);
        }
        [Symbol.iterator]() {
            return this.known.values();
        }
        get(id) {
            return this.known.get(id);
        }
        get seen() {
            return this.known;
        }
        /** Tick of the newest frame that was wholly applied; 0 before the first. */
        get tick() {
            return this.newestTick;
        }
        apply(frame) {
            if (frame.tick <= this.newestTick) {
                throw new protocol_error_js_4.ProtocolError(`a frame of tick ${frame.tick} after that of ${this.newestTick}`);
            }
            const changes = {
                left: [], entered: [], moved: [], stateChanged: [], ownState: undefined,
            };
            const former = frame.isKeyframe ? new Map(this.known) : undefined;
            const formerOwn = this.ownState;
            if (former !== undefined) {
                this.known.clear();
                this.ids = undefined;
                this.ownState = this.slots.first;
            }
            this.leave(frame, changes);
            this.goOn(frame);
            this.enter(frame, changes);
            if (former !== undefined) {
                this.compare(former, changes);
            }
            this.move(frame);
            this.noteMoved(changes);
            this.changeStates(frame, changes);
            if (former !== undefined) {
                changes.ownState = isSame(formerOwn, this.ownState) ? undefined : this.ownState;
            }
            this.newestTick = frame.tick;
            return changes;
        }
        leave(frame, changes) {
            for (const { entity, reason } of frame.leaves) {
                changes.left.push({ entity: this.find(entity, "leaves"), reason });
                this.known.delete(entity);
                this.ids = undefined;
            }
        }
        goOn(frame) {
            this.before.clear();
            for (const seen of this.known.values()) {
                const { x, y, z } = seen.velocity;
                if (x !== 0 || y !== 0 || z !== 0) {
                    this.replace(seen, { position: (0, packed_moves_js_1.afterTicks)(seen.position, seen.velocity, frame.tick - this.newestTick) });
                }
            }
        }
        replace(seen, change) {
            if (!this.before.has(seen.id)) {
                this.before.set(seen.id, seen);
            }
            this.known.set(seen.id, { ...seen, ...change });
        }
        noteMoved(changes) {
            for (const id of this.before.keys()) {
                changes.moved.push(this.find(id, "moves"));
            }
        }
        enter(frame, changes) {
            for (const { entity, kind, position, state, velocity } of frame.enters) {
                if (this.known.has(entity)) {
                    throw new protocol_error_js_4.ProtocolError(`entity ${entity} enters, and is seen already`);
                }
                const seen = {
                    id: entity, kind, position, velocity: velocity ?? { x: 0, y: 0, z: 0 },
                    state: this.slots.unpack(state), movedTick: frame.tick,
                };
                this.known.set(entity, seen);
                this.ids = undefined;
                changes.entered.push(seen);
            }
        }
        /** `former`: who was known before a keyframe. */
        compare(former, changes) {
            changes.entered = changes.entered.filter((seen) => {
                const was = former.get(seen.id);
                if (was !== undefined && !(isSame(was.position, seen.position) && isSame(was.velocity, seen.velocity))) {
                    this.before.set(seen.id, was);
                }
                if (was !== undefined && !isSame(was.state, seen.state)) {
                    changes.stateChanged.push(seen);
                }
                return !former.delete(seen.id);
            });
            former.forEach((entity) => changes.left.push({ entity, reason: undefined }));
        }
        move(frame) {
            (0, packed_moves_js_1.unpackMoves)(frame.moves, (move) => {
                const before = this.find(move.entity, "moves");
                const velocity = {
                    x: move.velocity.x * this.quantumMm, y: move.velocity.y * this.quantumMm,
                    z: move.velocity.z * this.quantumMm,
                };
                const position = (0, packed_moves_js_1.positionAfter)(move, before.position, this.quantumMm);
                this.replace(before, { position, velocity, movedTick: frame.tick });
            }, () => this.ids ?? (this.ids = Float64Array.from(this.known.keys()).sort()));
        }
        changeStates(frame, changes) {
            this.slots.unpackMany(frame.states, (entity, make) => {
                if (entity === this.own) {
                    changes.ownState = this.ownState = make(this.ownState);
                    return;
                }
                const before = this.find(entity, "changes its state");
                const seen = { ...before, state: make(before.state) };
                this.known.set(entity, seen);
                changes.stateChanged.push(seen);
            });
        }
        find(entity, what) {
            const seen = this.known.get(entity);
            if (seen === undefined) {
                throw new protocol_error_js_4.ProtocolError(`entity ${entity} ${what}, and is not seen`);
            }
            return seen;
        }
    }
    exports.World = World;
    /** Of two with the same members. */
    function isSame(one, other) {
        const values = Object.values(other);
        return Object.values(one).every((value, i) => value.toString() === values[i].toString());
    }
});
define("clients/js/src/drawing", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Drawing = void 0;
    /** A gap in the estimate of the server's time that is no jitter: the clock is set anew. */
    const clockJumpMs = 1000;
    /** By how much the estimate gives way in a second, so that a line that got slower is believed. */
    const clockDriftMsPerS = 5;
    /** How fast what is drawn follows what is estimated: a tenth faster or slower than real time is not seen. */
    const slewMsPerMs = 0.1;
    /** Who is silent for so long may be held back by an update ring or a budget, and is drawn on its way all that time; who is silent for longer stood. */
    const heldBackMsMax = 250;
    /** Two for a frame. What is drawn is two frames old, and more for a while after frames have become more frequent. */
    const samplesMax = 12;
    const jumpMm = 20000;
    /**
     * Where to draw others at any moment, say 60 times a second, out of 10 or 20 frames a second.
     *
     * Time     What is drawn is a little old: `delayMs`, by default as long as two frames take to come, on the average, and half a second at most; so there is a newer place
     *          to go to. In server time, which goes slower than real time while the zone is overloaded.
     * Errors   None: without a newer place an entity goes on with its velocity, and stands where it has none. Further than 20 m in one step is a teleport, and drawn as one.
     */
    class Drawing {
        constructor(tickRateHz, options = {}) {
            this.options = options;
            this.tracks = new Map();
            /** What is in use, and since when: it goes towards what is estimated. */
            this.shown = { offsetMs: 0, delayMs: 0, nowMs: 0 };
            this.newestFrameMs = 0;
            this.frameMs = 0;
            this.tickMs = 1000 / Math.max(tickRateHz, 1);
            this.gapMs = this.tickMs;
            this.shown.delayMs = this.wantedDelayMs;
        }
        /** For each frame, once the world has it: Client does that. `nowMs` is of performance.now()'s clock, as everywhere here. */
        apply(changes, frame, nowMs = performance.now()) {
            const timeMs = frame.serverTimeUs / 1000;
            this.setClock(timeMs, nowMs);
            changes.left.forEach(({ entity }) => this.tracks.delete(entity.id));
            changes.entered.forEach(({ id, position, velocity }) => this.tracks.set(id, [{ timeMs, position, velocity }]));
            changes.moved.forEach((entity) => this.move(entity, timeMs));
            this.frameMs = timeMs;
        }
        /** The server's time in milliseconds, as near as frames let it be known; it goes on smoothly. */
        serverMs(nowMs = performance.now()) {
            this.slew(nowMs);
            return nowMs + this.shown.offsetMs;
        }
        get delayMs() {
            return this.shown.delayMs;
        }
        get wantedDelayMs() {
            return this.options.delayMs ?? 2 * this.gapMs;
        }
        slew(nowMs) {
            const most = Math.max(0, nowMs - this.shown.nowMs) * slewMsPerMs;
            const towards = (from, to) => from + Math.max(-most, Math.min(most, to - from));
            this.shown = {
                offsetMs: towards(this.shown.offsetMs, this.offsetMs ?? 0), delayMs: towards(this.shown.delayMs, this.wantedDelayMs),
                nowMs: Math.max(nowMs, this.shown.nowMs),
            };
        }
        /** Nothing: it is not seen. */
        position(id, nowMs = performance.now()) {
            const track = this.tracks.get(id);
            const newest = track?.[track.length - 1];
            if (track === undefined || newest === undefined) {
                return undefined;
            }
            const atMs = this.serverMs(nowMs) - this.delayMs;
            const next = track.findIndex(({ timeMs }) => timeMs > atMs);
            const after = track[next];
            const before = track[next - 1];
            if (after === undefined) {
                return this.gone(newest, atMs);
            }
            return before === undefined ? after.position : between(before, after, atMs);
        }
        setClock(timeMs, nowMs) {
            const offset = timeMs - nowMs;
            if (this.offsetMs === undefined || Math.abs(offset - this.offsetMs) > clockJumpMs) {
                this.offsetMs = offset;
                this.shown = { offsetMs: offset, delayMs: this.shown.delayMs, nowMs };
            }
            else {
                this.slew(nowMs);
                // A frame that came sooner than the estimate is right; one that came later was held up on its way.
                const drift = clockDriftMsPerS * (nowMs - this.newestFrameMs) / 1000;
                this.offsetMs = Math.max(offset, this.offsetMs - drift);
                const gap = Math.max(0, Math.min(timeMs - this.frameMs, 250));
                this.gapMs += (gap - this.gapMs) / 16;
            }
            this.newestFrameMs = nowMs;
        }
        gone({ timeMs, position, velocity }, atMs) {
            const ticks = (atMs - timeMs) / this.tickMs;
            return {
                x: position.x + velocity.x * ticks, y: position.y + velocity.y * ticks, z: position.z + velocity.z * ticks,
            };
        }
        /** Where its way since its last place began. */
        move({ id, position, velocity }, timeMs) {
            const track = this.tracks.get(id) ?? [];
            const newest = track[track.length - 1];
            if (newest !== undefined) {
                const { x, y, z } = newest.velocity;
                const goesOn = x !== 0 || y !== 0 || z !== 0;
                const isHeldBack = timeMs - newest.timeMs <= heldBackMsMax;
                const beforeMs = goesOn ? timeMs - this.tickMs : isHeldBack ? newest.timeMs : Math.max(this.frameMs, timeMs - this.tickMs);
                if (newest.timeMs < beforeMs) {
                    track.push({ ...newest, timeMs: beforeMs, position: this.gone(newest, beforeMs) });
                }
            }
            track.push({ timeMs, position, velocity });
            track.splice(0, track.length - samplesMax);
            this.tracks.set(id, track);
        }
    }
    exports.Drawing = Drawing;
    function between(before, after, atMs) {
        const [from, to] = [before.position, after.position];
        const part = (atMs - before.timeMs) / (after.timeMs - before.timeMs);
        const isJump = Math.hypot(to.x - from.x, to.y - from.y, to.z - from.z) > jumpMm;
        if (isJump) {
            return part < 1 ? from : to;
        }
        const along = (a, b) => a + (b - a) * part;
        return { x: along(from.x, to.x), y: along(from.y, to.y), z: along(from.z, to.z) };
    }
});
define("clients/js/src/encode", ["require", "exports", "flatbuffers", "clients/js/src/marchland_generated"], function (require, exports, flatbuffers_1, wire) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.encode = exports.itemsMax = void 0;
    /** Of one message. */
    exports.itemsMax = 1024;
    /** Of what is said, and of what a client carries to another zone. */
    const messageBytesMax = 1024;
    const refusalBytesMax = 256;
    /** Of another zone. */
    const addressBytesMax = 256;
    /** Throws RangeError for what the protocol has no room for: fractions, numbers too large, and none where there must be one; what is too long. */
    function encode(message) {
        const to = new flatbuffers_1.Builder(256);
        const body = writers[message.type](to, message);
        wire.Message.finishSizePrefixedMessageBuffer(to, wire.Message.createMessage(to, wire.Body[message.type], body, false));
        return to.asUint8Array().slice();
    }
    exports.encode = encode;
    const writers = {
        Hello(to, it) {
            const [shown, state, token, resumeToken, carried] = [view(to, it.view), bytes(to, it.state), text(to, it.token), bytes(to, it.resumeToken), bytes(to, it.carried)];
            wire.Hello.startHello(to);
            wire.Hello.addProtocolMajor(to, ushort(it.protocolMajor));
            wire.Hello.addProtocolMinor(to, ushort(it.protocolMinor));
            wire.Hello.addKind(to, ushort(it.kind ?? 0));
            wire.Hello.addSpawn(to, position(to, it.spawn));
            wire.Hello.addView(to, shown);
            wire.Hello.addState(to, state);
            wire.Hello.addFacing(to, ushort(it.facing ?? 0));
            wire.Hello.addToken(to, token);
            wire.Hello.addResumeToken(to, resumeToken);
            wire.Hello.addLastTick(to, ulong(it.lastTick ?? 0));
            wire.Hello.addCarried(to, carried);
            wire.Hello.addReadsRanks(to, it.readsRanks ?? false);
            return wire.Hello.endHello(to);
        },
        Move(to, it) {
            wire.Move.startMove(to);
            wire.Move.addSeq(to, uint(it.seq));
            wire.Move.addPosition(to, position(to, it.position));
            ifSaid(to, it.facing, (facing) => wire.Move.addFacing(to, ushort(facing)));
            wire.Move.addCorrectionSeen(to, uint(it.correctionSeen ?? 0));
            wire.Move.addVelocity(to, velocity(to, it.velocity));
            return wire.Move.endMove(to);
        },
        SetView: (to, it) => wire.SetView.createSetView(to, view(to, it.view)),
        SetFrameRate: (to, it) => wire.SetFrameRate.createSetFrameRate(to, ushort(it.framesHz)),
        Ping: (to, it) => wire.Ping.createPing(to, nonce(it.nonce)),
        Leave: (to) => wire.Leave.createLeave(to),
        KeyframeRequest: (to) => wire.KeyframeRequest.createKeyframeRequest(to),
        SetState: (to, it) => wire.SetState.createSetState(to, bytes(to, it.state)),
        SendMessage: (to, it) => wire.SendMessage.createSendMessage(to, uint(it.number), ushort(it.kind), bytes(to, it.payload, messageBytesMax)),
        ServiceHello: (to, it) => wire.ServiceHello.createServiceHello(to, ushort(it.protocolMajor), ushort(it.protocolMinor), to.createString(it.name), text(to, it.token), bytes(to, it.resumeToken), it.admits ?? false),
        Spawn: (to, it) => wire.Spawn.createSpawn(to, wire.Spawn.createEntitiesVector(to, it.entities.map((entity) => spawnOne(to, entity)))),
        Despawn: (to, it) => wire.Despawn.createDespawn(to, wire.Despawn.createEntitiesVector(to, it.entities.map(ulong))),
        MoveMany: (to, it) => wire.MoveMany.createMoveMany(to, bytes(to, it.moves)),
        Change: (to, it) => wire.Change.createChange(to, wire.Change.createEntitiesVector(to, it.entities.map((entity) => changeOne(to, entity)))),
        TransferPlayer: (to, it) => wire.TransferPlayer.createTransferPlayer(to, ulong(it.entity), to.createString(shortText(it.address, addressBytesMax)), text(to, it.token), bytes(to, it.carried, messageBytesMax)),
        SendMessages: (to, it) => wire.SendMessages.createSendMessages(to, wire.SendMessages.createMessagesVector(to, it.messages.map((message) => messageTo(to, message)))),
        AdmitPlayer(to, it) {
            const given = it.given === undefined ? absent : changeOne(to, it.given);
            const refusal = text(to, it.refusal && shortText(it.refusal, refusalBytesMax));
            wire.AdmitPlayer.startAdmitPlayer(to);
            wire.AdmitPlayer.addRequest(to, ulong(it.request));
            wire.AdmitPlayer.addGiven(to, given);
            wire.AdmitPlayer.addRefusal(to, refusal);
            return wire.AdmitPlayer.endAdmitPlayer(to);
        },
        Subscribe(to, it) {
            const kinds = it.kinds === undefined ? absent : wire.Subscribe.createKindsVector(to, atMost(exports.itemsMax, it.kinds).map(ushort));
            wire.Subscribe.startSubscribe(to);
            wire.Subscribe.addKinds(to, kinds);
            wire.Subscribe.addPositions(to, it.positions ?? false);
            wire.Subscribe.addWithin(to, circle(to, it.within));
            wire.Subscribe.addMoves(to, it.moves ?? false);
            return wire.Subscribe.endSubscribe(to);
        },
    };
    function spawnOne(to, it) {
        const [shown, state] = [view(to, it.view), bytes(to, it.state)];
        wire.SpawnOne.startSpawnOne(to);
        wire.SpawnOne.addRef(to, uint(it.ref ?? 0));
        wire.SpawnOne.addKind(to, ushort(it.kind ?? 0));
        wire.SpawnOne.addPosition(to, position(to, it.position));
        wire.SpawnOne.addFacing(to, ushort(it.facing ?? 0));
        wire.SpawnOne.addLayers(to, layers(to, it));
        wire.SpawnOne.addView(to, shown);
        wire.SpawnOne.addNotify(to, notify(to, it));
        wire.SpawnOne.addState(to, state);
        wire.SpawnOne.addImportance(to, ubyte(it.importance ?? 1));
        wire.SpawnOne.addWatches(to, it.watches ?? false);
        return wire.SpawnOne.endSpawnOne(to);
    }
    function changeOne(to, it) {
        const of = it;
        const [shown, state] = [view(to, of.view), bytes(to, of.state)];
        wire.ChangeOne.startChangeOne(to);
        wire.ChangeOne.addEntity(to, ulong(of.entity ?? 0));
        wire.ChangeOne.addPosition(to, position(to, of.position));
        ifSaid(to, of.facing, (facing) => wire.ChangeOne.addFacing(to, ushort(facing)));
        wire.ChangeOne.addLayers(to, layers(to, of));
        wire.ChangeOne.addView(to, shown);
        wire.ChangeOne.addNotify(to, notify(to, of));
        wire.ChangeOne.addState(to, state);
        ifSaid(to, of.framesHz, (framesHz) => wire.ChangeOne.addFramesHz(to, ushort(framesHz)));
        ifSaid(to, of.speedPercent, (percent) => wire.ChangeOne.addSpeedPercent(to, ushort(percent)));
        wire.ChangeOne.addAuthority(to, ubyte(of.authority ?? 0));
        ifSaid(to, of.moveAck, (seq) => wire.ChangeOne.addMoveAck(to, uint(seq)));
        return wire.ChangeOne.endChangeOne(to);
    }
    function messageTo(to, it) {
        const players = it.to === undefined ? absent : wire.MessageTo.createToVector(to, atMost(exports.itemsMax, it.to).map(ulong));
        const payload = bytes(to, it.payload, messageBytesMax);
        wire.MessageTo.startMessageTo(to);
        wire.MessageTo.addTo(to, players);
        wire.MessageTo.addToEverybody(to, it.toEverybody ?? false);
        wire.MessageTo.addKind(to, ushort(it.kind ?? 0));
        wire.MessageTo.addPayload(to, payload);
        wire.MessageTo.addToViewersOf(to, ulong(it.toViewersOf ?? 0));
        wire.MessageTo.addWithin(to, circle(to, it.within));
        wire.MessageTo.addLayers(to, uint(it.layers ?? 0));
        return wire.MessageTo.endMessageTo(to);
    }
    /** To the builder: there is no such field. */
    const absent = 0;
    function view(to, it) {
        return it === undefined ? absent : wire.View.createView(to, ubyte(it.shape ?? wire.Shape.circle), int(it.radiusMm ?? 0), int(it.leaveRadiusMm ?? 0), int(it.halfYMm ?? 0), int(it.leaveHalfYMm ?? 0), int(it.halfZMm ?? 0), int(it.leaveHalfZMm ?? 0), ushort(it.halfOpening ?? 0), ushort(it.leaveHalfOpening ?? 0));
    }
    function bytes(to, it, max = Infinity) {
        return it === undefined ? absent : to.createByteVector(atMost(max, it));
    }
    function atMost(max, it) {
        if (it.length > max) {
            throw new RangeError(`${it.length}, where ${max} are the most that can be sent`);
        }
        return it;
    }
    function shortText(it, bytesMax) {
        atMost(bytesMax, new TextEncoder().encode(it));
        return it;
    }
    function text(to, it) {
        return it === undefined || it === "" ? absent : to.createString(it);
    }
    // Structs lie within their table: they are made where they are added.
    function position(to, it) {
        return it === undefined ? absent : wire.Position.createPosition(to, int(it.x), int(it.y), int(it.z));
    }
    function velocity(to, it) {
        return it === undefined ? absent : wire.Velocity.createVelocity(to, short(it.x), short(it.y), short(it.z));
    }
    function layers(to, { layers: it }) {
        return it === undefined ? absent : wire.Layers.createLayers(to, uint(it.layers), uint(it.layersSeen));
    }
    function notify(to, { notify: it }) {
        return it === undefined ? absent : wire.Notify.createNotify(to, int(it.radiusMm), int(it.leaveRadiusMm));
    }
    function circle(to, it) {
        return it === undefined ? absent : wire.Circle.createCircle(to, int(it.centre.x), int(it.centre.y), int(it.centre.z), int(it.radiusMm));
    }
    /** A field whose absence means something. flatc 2.0 leaves its 0 out, as if that were its default. */
    function ifSaid(to, value, add) {
        if (value !== undefined) {
            to.forceDefaults(true);
            add(value);
            to.forceDefaults(false);
        }
    }
    /** The builder takes any number, and writes what is left of it. */
    function integer(least, most) {
        return (value) => {
            if (!Number.isInteger(value) || value < least || value > most) {
                throw new RangeError(`${value} is not an integer from ${least} to ${most}`);
            }
            return value;
        };
    }
    const ubyte = integer(0, 0xff);
    const short = integer(-0x8000, 0x7fff);
    const ushort = integer(0, 0xffff);
    const uint = integer(0, 0xffffffff);
    const int = integer(-0x80000000, 0x7fffffff);
    const safe = integer(0, Number.MAX_SAFE_INTEGER);
    const ulong = (value) => BigInt(safe(value));
    function nonce(value) {
        if (BigInt.asUintN(64, value) !== value) {
            throw new RangeError(`${value} does not fit into 64 bits`);
        }
        return value;
    }
});
define("clients/js/src/own_way", ["require", "exports", "clients/js/src/packed_moves"], function (require, exports, packed_moves_js_2) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.OwnWay = void 0;
    const still = { x: 0, y: 0, z: 0 };
    /**
     * Where the server expects the client's own entity by now: on with the velocity of its last Move, for a while. A Move is
     * needed when that is wrong by more than the zone's bound, and before the while is over. Others then see the entity
     * within the sum of that bound and the server's own.
     */
    class OwnWay {
        /** As the Welcome says. With a bound of 0 every Move is needed, and has no velocity. */
        constructor(of) {
            this.of = of;
            this.ticksMax = Math.floor(of.predictionMsMax * of.tickRateHz / 1000);
        }
        /** A tick later it is there. The velocity of the Move that is to say so; undefined: none is needed. */
        step(position) {
            const at = this.onGrid(position);
            const velocity = this.of.predictionErrorMm === 0 || this.before === undefined ? still : wayBetween(this.before, at);
            this.before = at;
            if (this.said !== undefined) {
                ++this.said.ticks;
            }
            if (this.of.predictionErrorMm > 0 && this.isExpected(at)) {
                return undefined;
            }
            this.said = { at, velocity, ticks: 0 };
            return velocity;
        }
        /** The next step needs a Move: the last one was not sent, or something else than the place changes with it. */
        sayAgain() {
            this.said = undefined;
        }
        /** The server put the entity elsewhere, or a Move of the caller's own put it to `at`: the way there is no velocity. */
        forget(at) {
            this.sayAgain();
            this.before = at && this.onGrid(at);
        }
        /** One that stands needs no other Move; one that goes on needs it a tick before the server ends that. */
        isExpected(at) {
            if (this.said === undefined) {
                return false;
            }
            const { at: from, velocity, ticks } = this.said;
            const shown = (0, packed_moves_js_2.afterTicks)(from, velocity, ticks);
            const isOver = !isStill(velocity) && ticks >= Math.max(this.ticksMax, 2) - 1;
            return !isOver && Math.hypot(shown.x - at.x, shown.y - at.y, shown.z - at.z) <= this.of.predictionErrorMm;
        }
        /** Where the server puts it. */
        onGrid({ x, y, z }) {
            const quantum = this.of.quantumMm;
            const nearest = (mm) => Math.floor((mm + Math.floor(quantum / 2)) / quantum) * quantum;
            return { x: nearest(x), y: nearest(y), z: nearest(z) };
        }
    }
    exports.OwnWay = OwnWay;
    function isStill({ x, y, z }) {
        return x === 0 && y === 0 && z === 0;
    }
    /** None where it is too far for a velocity. */
    function wayBetween(from, to) {
        const way = { x: to.x - from.x, y: to.y - from.y, z: to.z - from.z };
        return Math.max(Math.abs(way.x), Math.abs(way.y), Math.abs(way.z)) > packed_moves_js_2.stepMaxMm ? still : way;
    }
});
define("clients/js/src/decode", ["require", "exports", "flatbuffers", "clients/js/src/marchland_generated", "clients/js/src/protocol_error"], function (require, exports, flatbuffers_2, wire, protocol_error_js_5) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.decode = void 0;
    /** One whole message, length prefix included. Throws ProtocolError. */
    function decode(message) {
        try {
            return read(wire.Message.getSizePrefixedRootAsMessage(new CheckedBytes(message)));
        }
        catch (error) {
            throw error instanceof RangeError ? new protocol_error_js_5.ProtocolError("an offset that leads out of the message") : error;
        }
    }
    exports.decode = decode;
    function read(message) {
        const type = message.bodyType();
        const reader = readers.get(type);
        if (reader !== undefined) {
            return reader(message);
        }
        if (type in wire.Body && type !== wire.Body.NONE) {
            throw new protocol_error_js_5.ProtocolError(`a ${wire.Body[type]}, which only a client sends`);
        }
        if (!message.optional()) {
            throw new protocol_error_js_5.ProtocolError(`a message of the unknown type ${type}`);
        }
        return { type: "Skipped" };
    }
    function reads(type, read) {
        return (message) => read(needed(message.body(new type()), "body"));
    }
    const readers = new Map([
        [wire.Body.Welcome, reads(wire.Welcome, welcome)],
        [wire.Body.Pong, reads(wire.Pong, pong)],
        [wire.Body.Frame, reads(wire.Frame, frame)],
        [wire.Body.Error, reads(wire.Error, error)],
        [wire.Body.Transfer, reads(wire.Transfer, transfer)],
        [wire.Body.ServiceWelcome, reads(wire.ServiceWelcome, serviceWelcome)],
        [wire.Body.Spawned, reads(wire.Spawned, (it) => {
                needed(it.entities(0), "entities"); // the list: also of an empty one it gives a place
                return { type: "Spawned", entities: spawned(it) };
            })],
        [wire.Body.PlayerJoined, reads(wire.PlayerJoined, playerJoined)],
        [wire.Body.PlayerLeft, reads(wire.PlayerLeft, playerLeft)],
        [wire.Body.CommandRefused, reads(wire.CommandRefused, commandRefused)],
        [wire.Body.Notice, reads(wire.Notice, notice)],
        [wire.Body.PlayerAway, reads(wire.PlayerAway, (it) => ({ type: "PlayerAway", entity: exact(it.entity()), graceMs: it.graceMs() }))],
        [wire.Body.PlayerBack, reads(wire.PlayerBack, (it) => ({ type: "PlayerBack", entity: exact(it.entity()), claims: it.claims() ?? "" }))],
        [wire.Body.PlayerMessage, reads(wire.PlayerMessage, playerMessage)],
        [wire.Body.MessagesLost, reads(wire.MessagesLost, (it) => ({ type: "MessagesLost", count: exact(it.count()) }))],
        [wire.Body.PlayerAsks, reads(wire.PlayerAsks, playerAsks)],
        [wire.Body.Positions, reads(wire.Positions, positions)],
        [wire.Body.PlayerMove, reads(wire.PlayerMove, playerMove)],
        [wire.Body.PlayersListed, reads(wire.PlayersListed, () => ({ type: "PlayersListed" }))],
    ]);
    function frame(it) {
        return {
            type: "Frame",
            tick: exact(it.tick()),
            moveAck: it.moveAck(),
            borderStale: it.borderStale(),
            leaves: list(it.leavesLength(), (i) => it.leaves(i), left),
            enters: list(it.entersLength(), (i) => it.enters(i), entered),
            moves: it.movesArray() ?? none,
            timeScale: it.timeScale(),
            isCapped: it.isCapped(),
            isSlowed: it.isSlowed(),
            isOverBudget: it.isOverBudget(),
            serverTimeUs: exact(it.serverTimeUs()),
            states: it.statesArray() ?? none,
            isKeyframe: it.isKeyframe(),
            ...ifThere("correction", it.correction(), correction),
            watcher: exact(it.watcher()),
            isFilling: it.isFilling(),
            messages: list(it.messagesLength(), (i) => it.messages(i), delivered),
            messagesLost: it.messagesLost(),
        };
    }
    function left(it) {
        return { entity: exact(it.entity()), reason: it.reason() };
    }
    function entered(it) {
        return {
            entity: exact(it.entity()),
            kind: it.kind(),
            position: position(needed(it.position(), "position")),
            state: it.stateArray() ?? none,
            ...ifThere("velocity", it.velocity(), position),
        };
    }
    function correction(it) {
        return { number: it.number(), position: position(it.position()) };
    }
    function delivered(it) {
        return { kind: it.kind(), payload: it.payloadArray() ?? none, source: exact(it.source()) };
    }
    function welcome(it) {
        return {
            type: "Welcome",
            protocolMajor: it.protocolMajor(),
            protocolMinor: it.protocolMinor(),
            entity: exact(it.entity()),
            tick: exact(it.tick()),
            tickRateHz: it.tickRateHz(),
            dimensions: it.dimensions(),
            worldMin: position(needed(it.worldMin(), "worldMin")),
            worldMax: position(needed(it.worldMax(), "worldMax")),
            spawn: position(needed(it.spawn(), "spawn")),
            view: view(needed(it.view(), "view")),
            leaveRadiusMmMax: it.leaveRadiusMmMax(),
            ...ifThere("crowd", it.crowd(), crowd),
            serverTimeUs: exact(it.serverTimeUs()),
            quantumMm: it.quantumMm(),
            resumeToken: it.resumeTokenArray() ?? none,
            resumeGraceMs: it.resumeGraceMs(),
            resumed: it.resumed(),
            statesPerSecondMax: it.statesPerSecondMax(),
            ...ifThere("messages", it.messages(), (limit) => ({ perSecondMax: limit.perSecondMax(), bytesMax: limit.bytesMax() })),
            messageNumber: it.messageNumber(),
            slots: list(it.slotsLength(), (i) => it.slots(i), slot),
            framesHz: it.framesHz(),
            predictionErrorMm: it.predictionErrorMm(),
            predictionMsMax: it.predictionMsMax(),
            restartGraceMs: it.restartGraceMs(),
        };
    }
    function view(it) {
        return {
            shape: it.shape(),
            radiusMm: it.radiusMm(),
            leaveRadiusMm: it.leaveRadiusMm(),
            halfYMm: it.halfYMm(),
            leaveHalfYMm: it.leaveHalfYMm(),
            halfZMm: it.halfZMm(),
            leaveHalfZMm: it.leaveHalfZMm(),
            halfOpening: it.halfOpening(),
            leaveHalfOpening: it.leaveHalfOpening(),
        };
    }
    function crowd(it) {
        return {
            visibleMax: it.visibleMax(),
            stickyPercent: it.stickyPercent(),
            rings: list(it.ringsLength(), (i) => it.rings(i), (ring) => ({ beyondMm: ring.beyondMm(), everyTicks: ring.everyTicks() })),
            frameBytesMax: it.frameBytesMax(),
            staleTicksMax: it.staleTicksMax(),
        };
    }
    function slot(it) {
        return {
            name: needed(it.name(), "name"),
            type: it.type(),
            writer: it.writer(),
            audience: it.audience(),
            radiusMm: it.radiusMm(),
            layers: it.layers(),
            bytesMax: it.bytesMax(),
        };
    }
    function pong(it) {
        return { type: "Pong", nonce: it.nonce(), tick: exact(it.tick()), safeTick: exact(it.safeTick()) };
    }
    function error(it) {
        return { type: "Error", code: it.code(), text: it.text() ?? "" };
    }
    function notice(it) {
        return { type: "Notice", text: it.text() ?? "", stopsInMs: it.stopsInMs() };
    }
    function transfer(it) {
        return {
            type: "Transfer", address: needed(it.address(), "address"), token: it.token() ?? "", carried: it.carriedArray() ?? none,
        };
    }
    function serviceWelcome(it) {
        return {
            type: "ServiceWelcome",
            protocolMajor: it.protocolMajor(),
            protocolMinor: it.protocolMinor(),
            tick: exact(it.tick()),
            serverTimeUs: exact(it.serverTimeUs()),
            tickRateHz: it.tickRateHz(),
            dimensions: it.dimensions(),
            worldMin: position(needed(it.worldMin(), "worldMin")),
            worldMax: position(needed(it.worldMax(), "worldMax")),
            leaveRadiusMmMax: it.leaveRadiusMmMax(),
            notifyLeaveRadiusMmMax: it.notifyLeaveRadiusMmMax(),
            quantumMm: it.quantumMm(),
            resumeToken: it.resumeTokenArray() ?? none,
            resumeGraceMs: it.resumeGraceMs(),
            resumed: it.resumed(),
            messageBytesMax: it.messageBytesMax(),
            entitiesMax: it.entitiesMax(),
            watchersMax: it.watchersMax(),
            entities: spawned(it),
            slots: list(it.slotsLength(), (i) => it.slots(i), slot),
            restartGraceMs: it.restartGraceMs(),
        };
    }
    function spawned(it) {
        return list(it.entitiesLength(), (i) => it.entities(i), (one) => ({ entity: exact(one.entity()), ref: one.ref() }));
    }
    function playerJoined(it) {
        return {
            type: "PlayerJoined",
            entity: exact(it.entity()),
            kind: it.kind(),
            position: position(needed(it.position(), "position")),
            state: it.stateArray() ?? none,
            subject: it.subject() ?? "",
            claims: it.claims() ?? "",
            carried: it.carriedArray() ?? none,
            request: exact(it.request()),
        };
    }
    function playerLeft(it) {
        return { type: "PlayerLeft", entity: exact(it.entity()), reason: it.reason() };
    }
    function playerAsks(it) {
        return {
            type: "PlayerAsks",
            request: exact(it.request()),
            kind: it.kind(),
            ...ifThere("spawn", it.spawn(), position),
            subject: it.subject() ?? "",
            claims: it.claims() ?? "",
            carried: it.carriedArray() ?? none,
            waitMs: it.waitMs(),
        };
    }
    function playerMessage(it) {
        return {
            type: "PlayerMessage",
            entity: exact(it.entity()),
            kind: it.kind(),
            tick: exact(it.tick()),
            position: position(needed(it.position(), "position")),
            payload: it.payloadArray() ?? none,
        };
    }
    function playerMove(it) {
        return {
            type: "PlayerMove",
            entity: exact(it.entity()),
            seq: it.seq(),
            tick: exact(it.tick()),
            position: position(needed(it.position(), "position")),
            ...ifThere("facing", it.facing(), (facing) => facing),
            ...ifThere("velocity", it.velocity(), position),
        };
    }
    function positions(it) {
        return {
            type: "Positions",
            tick: exact(it.tick()),
            first: exact(it.first()),
            players: list(it.playersLength(), (i) => it.players(i), (placed) => ({ step: placed.step(), position: position(placed.position()) })),
            hasMore: it.hasMore(),
            borderStale: it.borderStale(),
            ticksLost: exact(it.ticksLost()),
        };
    }
    function commandRefused(it) {
        return { type: "CommandRefused", command: it.command(), entity: exact(it.entity()), ref: it.ref(), reason: it.reason() };
    }
    const none = new Uint8Array(0);
    function position(it) {
        return { x: it.x(), y: it.y(), z: it.z() };
    }
    /** Nothing, or the member of that name. */
    function ifThere(name, it, read) {
        return it === null ? {} : { [name]: read(it) };
    }
    function needed(it, name) {
        if (it === null) {
            throw new protocol_error_js_5.ProtocolError(`${name} is missing`);
        }
        return it;
    }
    function list(count, at, read) {
        const items = [];
        for (let i = 0; i < count; ++i) {
            items.push(read(at(i)));
        }
        return items;
    }
    /** A u64, which is no other number than that which was sent. */
    function exact(value) {
        if (value > Number.MAX_SAFE_INTEGER) {
            throw new protocol_error_js_5.ProtocolError("a number of 2^53 or more");
        }
        return Number(value);
    }
    const utf8 = new TextDecoder("utf-8", { fatal: true });
    /** Throws RangeError for what is outside of them. */
    class CheckedBytes extends flatbuffers_2.ByteBuffer {
        constructor(bytes) {
            super(bytes);
            this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
            this.left = bytes.length;
        }
        readInt8(at) { return this.view.getInt8(at); }
        readUint8(at) { return this.view.getUint8(at); }
        readInt16(at) { return this.view.getInt16(at, true); }
        readUint16(at) { return this.view.getUint16(at, true); }
        readInt32(at) { return this.view.getInt32(at, true); }
        readUint32(at) { return this.view.getUint32(at, true); }
        readUint64(at) { return this.view.getBigUint64(at, true); }
        /** Asked once for each list. No item is smaller than a byte. */
        __vector_len(at) {
            const first = this.__vector(at);
            const count = this.readUint32(first - 4);
            if (first + count > this.capacity()) {
                throw new RangeError();
            }
            this.left -= count;
            if (this.left < 0) {
                throw new protocol_error_js_5.ProtocolError("a message that says the same bytes again and again");
            }
            return count;
        }
        __string(at) {
            const first = this.__vector(at);
            const bytes = this.bytes().subarray(first, first + this.__vector_len(at));
            try {
                return utf8.decode(bytes);
            }
            catch {
                throw new protocol_error_js_5.ProtocolError("a text that is not UTF-8");
            }
        }
    }
});
define("clients/js/src/message_splitter", ["require", "exports", "clients/js/src/protocol_error"], function (require, exports, protocol_error_js_6) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.MessageSplitter = void 0;
    const prefixBytes = 4;
    /**
     * Cuts a stream into messages, length prefix included, wherever it was cut on its way.
     *
     * Bounds   A message of more than `messageBytesMax` breaks the stream; memory is made for what came, not
     *          for what a prefix promises.
     * Cost     Messages are views into what was taken, but for those that came in pieces.
     */
    class MessageSplitter {
        constructor(messageBytesMax = 16 * 2 ** 20) {
            this.messageBytesMax = messageBytesMax;
            this.pieces = [];
            this.held = 0;
        }
        /** Calls `take` for each message that is whole. Throws ProtocolError, as `take` may. */
        push(bytes, take) {
            this.pieces.push(bytes);
            this.held += bytes.length;
            const needed = this.needed();
            if (this.held < needed) {
                return;
            }
            let rest = this.joined();
            this.pieces = [];
            this.held = 0;
            for (;;) {
                const whole = this.wholeOf(rest);
                if (rest.length < whole) {
                    break;
                }
                take(rest.subarray(0, whole));
                rest = rest.subarray(whole);
            }
            if (rest.length > 0) {
                this.pieces = [rest];
                this.held = rest.length;
            }
        }
        /** How many bytes must be there before there is anything to do. */
        needed() {
            const first = this.pieces[0];
            if (first === undefined || (first.length < prefixBytes && this.held >= prefixBytes)) {
                return prefixBytes;
            }
            return this.wholeOf(first);
        }
        wholeOf(bytes) {
            if (bytes.length < prefixBytes) {
                return prefixBytes;
            }
            const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
            if (length === 0 || length > this.messageBytesMax) {
                throw new protocol_error_js_6.ProtocolError(`a message of ${length} bytes`);
            }
            return prefixBytes + length;
        }
        joined() {
            const [first, second] = this.pieces;
            if (first !== undefined && second === undefined) {
                return first;
            }
            const whole = new Uint8Array(this.held);
            let at = 0;
            for (const piece of this.pieces) {
                whole.set(piece, at);
                at += piece.length;
            }
            return whole;
        }
    }
    exports.MessageSplitter = MessageSplitter;
});
define("clients/js/src/transport", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
});
define("clients/js/src/link", ["require", "exports", "clients/js/src/decode", "clients/js/src/encode", "clients/js/src/message_splitter"], function (require, exports, decode_js_1, encode_js_1, message_splitter_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Link = exports.ConnectionLost = exports.ServerError = void 0;
    /** The server said why it closes: `code` is of the table of errors in docs/wire_format.md. */
    class ServerError extends Error {
        constructor(code, text) {
            super(text);
            this.code = code;
            this.name = "ServerError";
        }
    }
    exports.ServerError = ServerError;
    /** The connection is gone, and nobody said why: the session may be resumed. */
    class ConnectionLost extends Error {
        constructor() {
            super(...arguments);
            this.name = "ConnectionLost";
        }
    }
    exports.ConnectionLost = ConnectionLost;
    /**
     * One connection, from Hello to its end: messages instead of bytes.
     *
     * Order    connect() resolves after welcomed(). Nothing is received after ended().
     * Bounds   Connecting, and the Welcome, take no longer than connect() allows; then it rejects.
     */
    class Link {
        constructor(listener) {
            this.listener = listener;
            this.splitter = new message_splitter_js_1.MessageSplitter();
            this.isWelcome = false;
            this.isOver = false;
            this.lastReceivedMs = performance.now();
        }
        connect(open, hello, msMax) {
            return new Promise((resolve, reject) => {
                this.settle = { resolve, reject };
                this.timer = setTimeout(() => this.abort(new ConnectionLost(`no Welcome within ${Math.round(msMax)} ms`)), msMax);
                open({
                    received: (bytes) => this.take(bytes),
                    closed: (reason) => this.end(new ConnectionLost(reason)),
                }).then((transport) => this.begin(transport, hello), (why) => this.end(why));
            });
        }
        send(message) {
            this.sendBytes((0, encode_js_1.encode)(message));
        }
        /** A message that is written already. */
        sendBytes(message) {
            if (!this.isOver) {
                this.transport?.send(message);
            }
        }
        /** Ends it from our side, at once; tells the listener. */
        abort(why) {
            this.transport?.abort();
            this.end(why);
        }
        silentForMs() {
            return performance.now() - this.lastReceivedMs;
        }
        begin(transport, hello) {
            if (this.isOver) {
                transport.abort(); // it came too late
                return;
            }
            this.transport = transport;
            this.send(hello);
        }
        take(bytes) {
            this.lastReceivedMs = performance.now();
            try {
                this.splitter.push(bytes, (message) => {
                    if (!this.isOver) {
                        this.dispatch((0, decode_js_1.decode)(message));
                    }
                });
            }
            catch (error) {
                this.abort(error);
            }
        }
        dispatch(message) {
            if (message.type === "Error") {
                this.transport?.close();
                this.end(new ServerError(message.code, message.text));
            }
            else if ((message.type === "Welcome" || message.type === "ServiceWelcome") && !this.isWelcome) {
                this.isWelcome = true;
                clearTimeout(this.timer);
                this.listener.welcomed(message);
                this.settle?.resolve();
            }
            else if (message.type !== "Skipped") {
                this.listener.received(message);
            }
        }
        end(why) {
            if (this.isOver) {
                return;
            }
            this.isOver = true;
            clearTimeout(this.timer);
            if (this.isWelcome) {
                this.listener.ended(why);
            }
            // Where the Welcome could not be taken in nobody else says so; after connect() has resolved this does nothing.
            this.settle?.reject(why);
        }
    }
    exports.Link = Link;
});
define("clients/js/src/web_socket", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.webSockets = exports.webSocket = void 0;
    const normalClosure = 1000;
    /** Over WebSocket: in browsers, and where Node has one. `url` is like "wss://play.example.org:7778/". */
    function webSocket(url) {
        const open = (listener) => new Promise((resolve, reject) => {
            const socket = new WebSocket(url);
            let isOpen = false;
            socket.binaryType = "arraybuffer";
            socket.onopen = () => {
                isOpen = true;
                resolve({
                    send: (message) => {
                        if (socket.readyState === WebSocket.OPEN) { // while it closes a browser takes it for an error of the page
                            socket.send(message); // newer compilers know that it may be shared memory
                        }
                    },
                    close: () => socket.close(normalClosure),
                    // There is no harder way: what is still unsent may go out.
                    abort: () => socket.close(),
                });
            };
            socket.onmessage = ({ data }) => {
                // The server sends no text; one would end the stream as the broken message that it is.
                listener.received(data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(4));
            };
            socket.onclose = ({ code, reason }) => {
                const why = `WebSocket closed, ${code} ${reason}`.trimEnd();
                isOpen ? listener.closed(why) : reject(new Error(why));
            };
        });
        return Object.assign(open, { elsewhere: exports.webSockets });
    }
    exports.webSocket = webSocket;
    exports.webSockets = {
        speaks: "ws:// and wss://",
        at: (address) => /^wss?:\/\//.test(address) ? webSocket(address) : undefined,
    };
});
define("clients/js/src/session", ["require", "exports", "clients/js/src/link", "clients/js/src/protocol_error", "clients/js/src/web_socket"], function (require, exports, link_js_1, protocol_error_js_7, web_socket_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.present = exports.Session = void 0;
    const stopping = 11;
    /** Codes of docs/wire_format.md after which to connect again: the entity is still there, or may be again when the server is. So it
     * is after 2 and 6, but who sent too much would do so again: the program decides, with `resumption`. */
    const lostCodes = new Set([8, 9, stopping]);
    /** Codes after which a zone to which a player is sent may let it in a little later: it is full, begins just now, or overloaded. */
    const busyCodes = new Set([10, stopping, 19]);
    const retryMsMax = 4000;
    const resumeRefused = 15;
    const farewellMsMax = 5000;
    const welcomeMsMax = 10000;
    const askAgainMs = 100;
    /** What lasts so long was resumed for good. */
    const steadyMs = 5000;
    /** In this time what has come is read, also by a program that did something else for long. */
    const readMs = 100;
    /**
     * What a player's and a service's sessions have in common: a connection that is kept, and resumed when it is lost.
     *
     *     idle -- connect() --> playing <-- resumed --+      closed: leave(), an Error of the server,
     *                              +---- lost --------+      a broken stream, or the grace is over
     *
     * Order    Callbacks come one at a time, in the order of the stream; what they throw ends the session.
     * Errors   connect() rejects, onClosed tells: with a ServerError if the server said why, a ProtocolError
     *          if its stream is broken. Both, where the end came along with the Welcome.
     */
    class Session {
        constructor(open, patience, resumedFrom) {
            this.open = open;
            this.patience = patience;
            this.resumedFrom = resumedFrom;
            this.onLost = () => { };
            this.onResumed = () => { };
            /** The player is in another zone: all that is known is that one's. */
            this.onTransferred = () => { };
            this.onClosed = () => { };
            /** Where the game sent the player. */
            this.elsewhere = {};
            this.isLeaving = false;
            this.isClosed = false;
            this.pingedMs = performance.now();
            this.welcomedMs = 0;
            /** Before the next attempt; 0: at once. */
            this.waitMs = 0;
            this.nextNonce = 1n;
            this.pings = new Map();
            this.farewells = [];
            this.token = patience.token;
        }
        /** Sends what was asked for since. */
        sendWaiting() { }
        /** Is there more of that, which cannot go out yet? */
        hasWaiting() {
            return false;
        }
        /** Resolves with the first Welcome. Once. */
        async connect() {
            await (this.resumedFrom === undefined ? this.begin() : this.resumeOrJoin(this.resumedFrom));
            if (this.isClosed) {
                this.link?.send({ type: "Leave" });
                throw this.closedBy ?? new Error("left before the Welcome came");
            }
            this.timer = setInterval(() => this.keepAlive(), this.pingEveryMs);
            return this.welcome;
        }
        /** The newest Welcome. Only after connect(). */
        get welcome() {
            return present(this.newestWelcome);
        }
        requestKeyframe() {
            this.link?.send({ type: "KeyframeRequest" });
        }
        /** The round trip in milliseconds; nothing when the connection is lost, or gets lost meanwhile. */
        async ping() {
            const sentMs = performance.now();
            const pong = await this.pong();
            return pong && performance.now() - sentMs;
        }
        /**
         * Resolves when what was asked for before would survive a crash of the server: a game waits for that before it says
         * "traded". False: not in time, the connection was lost meanwhile, or the zone keeps no state.
         */
        async waitUntilSafe(msMax = 10000) {
            const { link } = this;
            let timer;
            const overdue = new Promise((resolve) => { timer = setTimeout(() => resolve(undefined), msMax); });
            const pongInTime = () => Promise.race([this.pong(), overdue]);
            this.sendWaiting();
            const deadlineMs = performance.now() + msMax;
            while (this.link !== undefined && this.link === link && this.hasWaiting() && performance.now() < deadlineMs) {
                await new Promise((resolve) => setTimeout(resolve, askAgainMs));
            }
            const first = await pongInTime();
            let newest = first;
            // What was taken in before the first Pong is in force two ticks later.
            while (first !== undefined && newest !== undefined && newest.safeTick < first.tick + 2) {
                await new Promise((resolve) => setTimeout(resolve, askAgainMs));
                newest = await pongInTime();
            }
            clearTimeout(timer);
            return newest !== undefined && this.link === link;
        }
        pong() {
            if (this.link === undefined) {
                return Promise.resolve(undefined);
            }
            const nonce = this.nextNonce++;
            this.pingedMs = performance.now();
            return new Promise((resolve) => {
                this.pings.set(nonce, resolve);
                this.link?.send({ type: "Ping", nonce });
            });
        }
        /** Leaves the zone; resolves when the connection is closed. */
        leave() {
            this.isLeaving = true;
            return new Promise((resolve) => {
                if (this.isClosed) {
                    resolve();
                    return;
                }
                this.farewells.push(resolve);
                if (this.link === undefined) {
                    this.close(undefined);
                    return;
                }
                const link = this.link;
                this.sendWaiting();
                link.send({ type: "Leave" });
                const timer = setTimeout(() => link.abort(new link_js_1.ConnectionLost("no end after Leave")), farewellMsMax);
                this.farewells.push(() => clearTimeout(timer));
            });
        }
        /** Drops the connection as a broken line does: the session is resumed. */
        cut() {
            this.link?.abort(new link_js_1.ConnectionLost("cut"));
        }
        send(message) {
            this.link?.send(message);
        }
        get pingEveryMs() {
            return this.patience.pingEveryMs ?? 5000;
        }
        async resumeOrJoin({ resumeToken, address, token }) {
            const { open, token: ownToken } = this;
            if (address !== undefined) {
                this.goTo(address, token ?? "");
                this.takeNext();
            }
            try {
                await this.begin(resumeToken);
            }
            catch (error) {
                if (this.isClosed || !isRefused(error)) {
                    throw error;
                }
                [this.open, this.token, this.elsewhere] = [open, ownToken, {}];
                await this.begin();
            }
        }
        /** `welcomed` is called before what comes behind the Welcome. */
        async begin(resumeToken, welcomed = () => { }) {
            const { token } = this;
            const msMax = this.patience.welcomeMsMax ?? welcomeMsMax;
            const asked = typeof token === "function" ? await inTime(token(), msMax) : token;
            const first = {
                ...this.hello(), ...(asked === undefined ? {} : { token: asked }),
                ...(resumeToken === undefined ? {} : { resumeToken }),
            };
            const link = new link_js_1.Link({
                welcomed: (welcome) => {
                    const expected = first.type === "Hello" ? "Welcome" : "ServiceWelcome";
                    if (welcome.type !== expected) {
                        throw new protocol_error_js_7.ProtocolError(`a ${welcome.type} after a ${first.type}`);
                    }
                    this.link = link;
                    this.welcomedMs = performance.now();
                    this.newestWelcome = welcome;
                    const { resumeToken: next } = welcome;
                    this.resumable = next.length === 0 ? undefined : { resumeToken: next, ...this.elsewhere };
                    this.onWelcome(this.newestWelcome);
                    welcomed();
                },
                received: (message) => this.take(message),
                ended: (why) => this.onEnded(why),
            });
            await link.connect(this.open, first, msMax);
        }
        take(message) {
            if (this.isClosed) {
                return;
            }
            if (message.type === "Pong") {
                this.pings.get(message.nonce)?.(message);
                this.pings.delete(message.nonce);
                return;
            }
            this.onMessage(message);
            // In a hidden tab timers come once a minute: pings ride on what the server says, which is something every second.
            if (performance.now() - this.pingedMs >= this.pingEveryMs) {
                void this.ping();
            }
        }
        onEnded(why) {
            this.link = undefined;
            for (const settle of this.pings.values()) {
                settle(undefined);
            }
            this.pings.clear();
            if (this.isLeaving || this.isClosed) {
                this.close(undefined);
            }
            else if (this.openNext !== undefined) {
                void this.follow(why);
            }
            else if (this.canResume(why)) {
                if (this.callBack(() => this.onLost(why))) {
                    void this.connectAgain(why, this.welcome.resumeToken);
                }
            }
            else {
                this.close(why);
            }
        }
        /** Once the server has closed: its player is in another zone. `token`: empty, the one that it has. */
        goTo(address, token) {
            this.openNext = this.openOf(address);
            this.resumable = undefined;
            this.token = token === "" ? this.token : token;
            this.elsewhere = { ...this.elsewhere, address: this.openNext.address ?? address, ...(token === "" ? {} : { token }) };
        }
        /** Of several addresses, separated by blanks, the first that can be spoken. */
        openOf(addresses) {
            const { speaks, at } = this.open.elsewhere ?? web_socket_js_1.webSockets;
            for (const address of addresses.split(" ")) {
                const open = at(address);
                if (open !== undefined) {
                    return open;
                }
            }
            throw new protocol_error_js_7.ProtocolError(`sent to ${addresses}, but this connection can speak ${speaks} alone`);
        }
        takeNext() {
            this.open = this.openNext ?? this.open;
            this.openNext = undefined;
        }
        follow(why) {
            this.takeNext();
            this.waitMs = 0;
            return this.connectAgain(why);
        }
        canResume(why) {
            const isLost = why instanceof link_js_1.ConnectionLost ||
                (why instanceof link_js_1.ServerError && lostCodes.has(why.code));
            return isLost && (this.patience.resume ?? true) && this.welcome.resumeToken.length > 0;
        }
        /**
         * Until it works, the server says that it is no use, or the grace is over. Without a resume token it goes on in another zone,
         * as one that begins: nothing of the zone before counts.
         */
        async connectAgain(why, resumeToken) {
            const { resumeGraceMs, restartGraceMs } = this.welcome;
            const graceMs = this.patience.resume ?? true ? Math.max(resumeGraceMs, restartGraceMs) : 0;
            const deadlineMs = performance.now() + graceMs;
            let isBack = false;
            const welcomed = () => {
                isBack = true;
                this.isClosed ? this.link?.send({ type: "Leave" })
                    : this.callBack(() => resumeToken === undefined ? this.onTransferred() : this.onResumed());
            };
            let newest = why;
            for (const waitMs of this.waitsAfter(why, resumeToken !== undefined)) {
                if (waitMs > 0) {
                    const leftMs = Math.max(0, deadlineMs - performance.now());
                    await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, leftMs)));
                }
                if (this.isClosed) {
                    return;
                }
                try {
                    await this.begin(resumeToken, welcomed);
                    return;
                }
                catch (error) {
                    if (isBack) {
                        return; // lost again before begin() was at its end: onEnded() goes on
                    }
                    newest = error;
                    const isNoUse = newest instanceof protocol_error_js_7.ProtocolError || (resumeToken === undefined
                        ? newest instanceof link_js_1.ServerError && !busyCodes.has(newest.code) : isRefused(newest));
                    if (this.isClosed || performance.now() >= deadlineMs || isNoUse) {
                        break;
                    }
                }
            }
            this.close(newest);
        }
        *waitsAfter(why, isResume) {
            if (performance.now() - this.welcomedMs >= steadyMs) {
                this.waitMs = 0;
            }
            const mayRestart = isResume && this.welcome.restartGraceMs > 0; // who is sent elsewhere comes alone
            const spreadMs = mayRestart ? (this.patience.restartSpreadMs ?? 3000) * Math.random() : 0;
            const isStopping = mayRestart && why instanceof link_js_1.ServerError && why.code === stopping;
            yield this.nextWaitMs() + (isStopping ? spreadMs : 0);
            if (mayRestart && !isStopping) {
                yield spreadMs;
            }
            for (;;) {
                yield this.nextWaitMs();
            }
        }
        nextWaitMs() {
            const { waitMs } = this;
            this.waitMs = waitMs === 0 ? this.patience.retryMs ?? 500 : Math.min(2 * waitMs, Math.max(waitMs, retryMsMax));
            return waitMs * (0.5 + Math.random());
        }
        /** Calls a callback that the stream does not call: false when it threw, which ends the session. */
        callBack(callback) {
            try {
                callback();
                return true;
            }
            catch (error) {
                this.close(error);
                this.link?.abort(error);
                return false;
            }
        }
        keepAlive() {
            if (this.link === undefined) {
                return;
            }
            const { link } = this;
            const isSilent = () => link.silentForMs() > (this.patience.silenceMsMax ?? 10000);
            if (!isSilent()) {
                void this.ping();
                return;
            }
            // This timer may come before what is there to be read.
            setTimeout(() => {
                if (isSilent()) {
                    link.abort(new link_js_1.ConnectionLost("the server says nothing any more"));
                }
            }, readMs);
        }
        close(why) {
            if (this.isClosed) {
                return;
            }
            this.isClosed = true;
            this.closedBy = why;
            clearInterval(this.timer);
            this.farewells.forEach((resolve) => resolve());
            this.onClosed(why);
        }
    }
    exports.Session = Session;
    async function inTime(token, msMax) {
        let timer;
        const overdue = new Promise((_, reject) => {
            timer = setTimeout(() => reject(new link_js_1.ConnectionLost(`no token within ${Math.round(msMax)} ms`)), msMax);
        });
        try {
            return await Promise.race([token, overdue]);
        }
        finally {
            clearTimeout(timer);
        }
    }
    function isRefused(why) {
        return why instanceof link_js_1.ServerError && why.code === resumeRefused;
    }
    function present(value) {
        if (value === undefined) {
            throw new Error("not connected yet");
        }
        return value;
    }
    exports.present = present;
});
define("clients/js/src/client", ["require", "exports", "clients/js/src/drawing", "clients/js/src/encode", "clients/js/src/messages", "clients/js/src/own_way", "clients/js/src/protocol_error", "clients/js/src/packed_state", "clients/js/src/session", "clients/js/src/world"], function (require, exports, drawing_js_1, encode_js_2, messages_js_2, own_way_js_1, protocol_error_js_8, packed_state_js_2, session_js_1, world_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Client = void 0;
    /** As many messages as a second allows go in this time: what is held up on its way comes closer together. */
    const messagesInMs = 1250;
    /**
     * A player's session: says Hello, keeps who is seen in `world` and where to draw them in `drawing`, answers corrections, pings,
     * and resumes when the connection is lost.
     *
     * Order    A frame is applied to `world` before its callbacks: onLeave, onEnter, onMove and onState of each entity, onService, then
     *          onFrame.
     */
    class Client extends session_js_1.Session {
        constructor(open, options = {}) {
            super(open, options, options.resumption);
            this.options = options;
            this.onEnter = () => { };
            this.onMove = () => { };
            this.onState = () => { };
            /** Without a reason: a keyframe does not have it any more. */
            this.onLeave = () => { };
            /** What a service says to this player; `source`: to whoever sees that entity, else 0. */
            this.onService = () => { };
            this.onFrame = () => { };
            this.onCorrection = () => { };
            /** The server sends its players a notice; it stops in so many milliseconds at the latest, 0: it does not say. */
            this.onNotice = () => { };
            /** The game sent it from where it began. */
            this.isElsewhere = false;
            /** Until the zone that it was sent to has answered. */
            this.isArriving = false;
            this.newestSeq = 0;
            this.correctionSeen = 0;
            /** Messages that the server may not have, in order. */
            this.unconfirmed = [];
            this.newestMessage = 0;
            this.isConfirming = false;
            this.framesHz = 0;
            /** When messages went out on this connection, of the last messagesInMs. */
            this.sentAt = [];
        }
        /**
         * For the options of a later Client, also of this page when it is loaded again: to be kept after each Welcome (connect(),
         * onResumed, onTransferred), and to be kept secret. Nothing: the zone resumes none.
         */
        get resumption() {
            return this.resumable;
        }
        /** Who is seen: `for (const entity of client.world)`. Only after connect(). */
        get world() {
            return (0, session_js_1.present)(this.kept);
        }
        /** Where to draw them, smoothly, at any moment. Only after connect(). */
        get drawing() {
            return (0, session_js_1.present)(this.drawn);
        }
        /** Where the client's own entity is: what was sent last, or what the server put in its place. */
        get position() {
            return (0, session_js_1.present)(this.ownPosition);
        }
        /** Says where the entity is now; returns the move's seq. More than one a tick is pointless. */
        move(position, facing) {
            this.way?.forget(position);
            return this.sendMove(position, facing);
        }
        /**
         * The same where the server goes on by itself (`predictionErrorMm` of the Welcome), with fewer moves: to be called
         * once in every tick, also while the entity stands. A move is sent, with a velocity, when what the server expects is
         * wrong by more than that bound, or ends. Others see the entity within twice the bound. False: none was needed.
         */
        step(position, facing) {
            if (facing !== undefined && facing !== this.facing) {
                this.way?.sayAgain();
            }
            const velocity = (0, session_js_1.present)(this.way).step(position);
            if (velocity === undefined) {
                this.ownPosition = position;
                return false;
            }
            this.sendMove(position, facing, velocity);
            return true;
        }
        sendMove(position, facing, velocity) {
            this.newestSeq = (this.newestSeq + 1) >>> 0;
            this.ownPosition = position;
            this.facing = facing ?? this.facing;
            const goesOn = velocity !== undefined && (velocity.x !== 0 || velocity.y !== 0 || velocity.z !== 0);
            this.send({
                type: "Move", seq: this.newestSeq, position, correctionSeen: this.correctionSeen,
                ...(facing === undefined ? {} : { facing }), ...(goesOn ? { velocity } : {}),
            });
            return this.newestSeq;
        }
        /** No more frames a second than that, as for a hidden tab; 0: as many as the server gives. */
        setFrameRate(framesHz) {
            this.send({ type: "SetFrameRate", framesHz });
            this.framesHz = framesHz;
        }
        /** Also while the connection is lost: it is said when it is back. */
        setView(view) {
            this.send({ type: "SetView", view });
            this.newestView = { ...view };
        }
        /** Slots of the own entity, by name: those whose writer is the player. */
        setState(state) {
            this.send({ type: "SetState", state: this.world.slots.pack(state) });
        }
        /**
         * To the services of the game, where `welcome.messages` allows it: in order and each once, also over a
         * resume (a restart of the server may deliver one twice). False, and nothing is sent: as many as a second allows went
         * just now, or are on their way; try again a little later. Services answer in `frame.messages`. Throws RangeError where the
         * payload has more than 1,024 bytes, or than `welcome.messages` allows.
         */
        sendMessage(kind, payload = new Uint8Array()) {
            const { perSecondMax: max, bytesMax } = this.welcome.messages ?? { perSecondMax: 0, bytesMax: Infinity };
            const message = { type: "SendMessage", number: 0, kind, payload: new Uint8Array(payload) };
            (0, encode_js_2.encode)(message);
            if (payload.length > bytesMax) {
                throw new RangeError(`${payload.length} bytes, where the zone takes ${bytesMax}`);
            }
            const since = performance.now() - messagesInMs;
            this.sentAt = this.sentAt.filter((at) => at > since);
            const hasRoom = Math.max(this.unconfirmed.length, this.sentAt.length) < max;
            if (hasRoom) {
                message.number = ++this.newestMessage;
                this.unconfirmed.push(message);
                this.sendNumbered(message);
            }
            if (2 * this.unconfirmed.length > max && !this.isConfirming) {
                this.isConfirming = true;
                void this.ping().then(() => { this.isConfirming = false; });
            }
            return hasRoom;
        }
        sendNumbered(message) {
            this.sentAt.push(performance.now());
            this.send(message);
        }
        /** What was said before it is taken in when it is answered. */
        async ping() {
            const newest = this.newestMessage;
            const view = this.newestView;
            const rttMs = await super.ping();
            if (rttMs !== undefined) {
                this.newestView = this.newestView === view ? undefined : this.newestView;
                this.unconfirmed = this.unconfirmed.filter(({ number }) => number > newest);
            }
            return rttMs;
        }
        hello() {
            const { kind, spawn, view, state, facing } = this.options;
            const hello = { type: "Hello", protocolMajor: messages_js_2.protocolMajor, protocolMinor: messages_js_2.protocolMinor, readsRanks: true };
            if (this.kept !== undefined && !this.isArriving) {
                // It goes on: what else it could say does not count, but the view is checked.
                return { ...hello, lastTick: this.kept.tick };
            }
            return {
                ...hello, ...(this.carried === undefined ? {} : { carried: this.carried }),
                ...Object.fromEntries(Object.entries({ kind, spawn: this.isElsewhere ? undefined : spawn, view, state, facing })
                    .filter(([, value]) => value !== undefined)),
            };
        }
        onWelcome(welcome) {
            this.correctionSeen = 0;
            this.timed = undefined;
            this.way = new own_way_js_1.OwnWay(welcome);
            // `resumed` answers a Hello without a resume token, too, where another login had the entity.
            const isKept = welcome.resumed && this.kept !== undefined && !this.isArriving;
            if (!isKept || !this.world.fits(welcome)) {
                this.kept = new world_js_1.World(welcome.quantumMm, new packed_state_js_2.Slots(welcome.slots), welcome.entity);
                this.drawn = new drawing_js_1.Drawing(welcome.tickRateHz);
            }
            this.ownPosition = isKept ? this.ownPosition : welcome.spawn;
            this.isArriving = false;
            if (this.newestView !== undefined) {
                this.send({ type: "SetView", view: this.newestView });
            }
            if (this.framesHz !== 0) {
                this.send({ type: "SetFrameRate", framesHz: this.framesHz }); // it holds for a connection
            }
            // A server that crashed may know fewer.
            this.unconfirmed = this.unconfirmed.filter(({ number }) => number > welcome.messageNumber);
            this.newestMessage = welcome.messageNumber;
            this.sentAt = [];
            for (const message of this.unconfirmed) {
                message.number = ++this.newestMessage;
                this.sendNumbered(message);
            }
        }
        onMessage(message) {
            switch (message.type) {
                case "Frame":
                    this.onFrameMessage(message);
                    break;
                case "Transfer":
                    // Where it begins there, that zone decides. What was said and not confirmed is lost.
                    this.carried = new Uint8Array(message.carried);
                    this.isElsewhere = this.isArriving = true;
                    this.unconfirmed = [];
                    this.newestView = undefined;
                    this.goTo(message.address, message.token);
                    break;
                case "Notice":
                    this.onNotice(message.text, message.stopsInMs);
                    break;
                default:
                    throw new protocol_error_js_8.ProtocolError(`a ${message.type} while playing`);
            }
        }
        onFrameMessage(frame) {
            if (frame.serverTimeUs !== 0) {
                this.timed = { tick: frame.tick, serverTimeUs: frame.serverTimeUs };
            }
            else if (this.timed !== undefined) {
                const { tick, serverTimeUs } = this.timed;
                frame.serverTimeUs = serverTimeUs + Math.floor((frame.tick - tick) * 1e6 / Math.max(1, this.welcome.tickRateHz));
            }
            const changes = this.world.apply(frame);
            this.drawing.apply(changes, frame);
            // A keyframe has the number that holds already: moves that were sent since are made after it.
            if (frame.correction !== undefined && frame.correction.number !== this.correctionSeen) {
                this.correctionSeen = frame.correction.number;
                this.ownPosition = frame.correction.position;
                this.way?.forget();
                this.onCorrection(frame.correction);
            }
            changes.left.forEach(({ entity, reason }) => this.onLeave(entity, reason));
            changes.entered.forEach((entity) => this.onEnter(entity));
            changes.moved.forEach((entity) => this.onMove(entity));
            changes.stateChanged.forEach((entity) => this.onState(entity));
            frame.messages.forEach(({ kind, payload, source }) => this.onService(kind, payload, source));
            this.onFrame(changes, frame);
        }
    }
    exports.Client = Client;
});
define("clients/js/src/service", ["require", "exports", "clients/js/src/encode", "clients/js/src/messages", "clients/js/src/packed_moves", "clients/js/src/protocol_error", "clients/js/src/session", "clients/js/src/packed_state", "clients/js/src/world"], function (require, exports, encode_js_3, messages_js_3, packed_moves_js_3, protocol_error_js_9, session_js_2, packed_state_js_3, world_js_2) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Service = exports.Owned = void 0;
    const waitingBytesMax = 2 ** 20; // of what is asked for while there is no connection
    const prefixBytes = 4; // that the server's message_bytes_max does not count
    const playersMax = 2 ** 20; // no zone takes so many connections
    const spawnCommand = 14;
    const nothing = { type: "Subscribe" };
    /** An entity of the service. The same object from spawn() to its end, over resumes too. */
    class Owned {
        /** @internal */
        constructor(ref, spawn, changed) {
            this.ref = ref;
            this.spawn = spawn;
            this.changed = changed;
            this.isGone = false;
            this.onFrame = () => { };
            /** @internal */ this.isAskedFor = false;
            /** @internal */ this.isToGo = false;
            changed.add(this);
        }
        get position() {
            return this.spawn.position;
        }
        /** The newest of a tick counts, on the nearest quantum. Throws RangeError for what is no place in any world. */
        move(position) {
            if (!Object.values(inQuanta(position, 1)).every((mm) => mm === (mm | 0))) {
                throw new RangeError(`no place: ${position.x}, ${position.y}, ${position.z}`);
            }
            this.spawn.position = position;
            this.isNew();
        }
        despawn() {
            this.isToGo = true;
            this.isNew();
        }
        isNew() {
            if (!this.isGone) {
                this.changed.add(this);
            }
        }
    }
    exports.Owned = Owned;
    /**
     * A service's session: game logic beside the zone. docs/services.md is a tour.
     *
     * Order    What is asked for goes out with flush(), which is called once a tick, and by itself when something comes in: moves, changes,
     *          messages and who is sent elsewhere, removals, spawns; each of them in the order in which it was asked for. Subscriptions
     *          and answers to questions go at once, behind what waits.
     * Errors   What cannot be sent, a fraction of a millimetre or a text that is too long, is a RangeError of the call that asks for it.
     * Resume   By itself, as players do: what was spawned stays, and moves are sent again. Players stay; who went meanwhile leaves. What was
     *          asked for meanwhile goes out then; of more than 1 MiB the newest.
     */
    class Service extends session_js_2.Session {
        /** `admits`: onAsk is called before a player comes in, where the server's `services.admission` says so. */
        constructor(open, name, options = {}) {
            super(open, options);
            this.name = name;
            this.options = options;
            this.onJoin = () => { };
            this.onAway = () => { };
            this.onBack = () => { };
            this.onLeave = () => { };
            /** Of a kind that was subscribed to. */
            this.onPlayer = () => { };
            this.onMessagesLost = () => { };
            /** Of an entity that services move, where subscribeMoves() asked for it: answer it by a change with `position` and `moveAck`. */
            this.onMove = () => { };
            /** In each tick, where subscribePositions() asked for it. */
            this.onPositions = () => { };
            /** A player waits for admit() or refuse(), then or later. */
            this.onAsk = ({ request }) => this.admit(request);
            this.onRefused = () => { };
            /** So many messages and changes, asked for while there was no connection, gave way to newer ones. */
            this.dropped = 0;
            this.there = new Map();
            /** Known since before the newest Welcome, and not announced again. */
            this.unlisted = new Set();
            /** They were away before it, were announced again, and may be back. */
            this.returning = new Set();
            this.owned = new Map();
            this.byId = new Map();
            /** Of `owned`: of whom something is to be sent, a spawn, a move or the end. */
            this.changed = new Set();
            this.sentQuanta = new Map();
            this.newestRef = 0;
            this.subscribed = nothing;
            this.removed = [];
            this.asked = [];
            this.askedBytes = 0;
        }
        /** Who is in the zone. */
        get players() {
            return this.there;
        }
        spawn(one) {
            const spawn = { ...this.packed(one), ref: this.newestRef + 1 };
            (0, encode_js_3.encode)({ type: "Spawn", entities: [spawn] });
            const owned = new Owned(++this.newestRef, spawn, this.changed);
            this.owned.set(owned.ref, owned);
            return owned;
        }
        /**
         * Lets in who asks; with what is given, where that is to be other than it asked for. While the connection is lost nothing is sent:
         * the question is void.
         */
        admit(request, given = {}) {
            this.sendAtOnce({ type: "AdmitPlayer", request, given: this.packed(given) });
        }
        /** `why`: a text for the player, of up to 256 bytes. */
        refuse(request, why = "") {
            this.sendAtOnce({ type: "AdmitPlayer", request, refusal: why || "refused" }); // an empty string would not be sent, and let it in
        }
        /** Of own entities and players': what is absent stays. */
        change(one) {
            this.ask({ type: "Change", entities: [this.packed(one)] });
        }
        ask(message) {
            const bytes = (0, encode_js_3.encode)(message).length;
            this.asked.push({ message, bytes });
            this.askedBytes += bytes;
            while (this.link === undefined && this.askedBytes > waitingBytesMax) {
                this.askedBytes -= this.asked.shift()?.bytes ?? 0;
                ++this.dropped;
            }
        }
        packed({ state, ...others }) {
            const packed = state && { state: new packed_state_js_3.Slots(this.welcome.slots).pack(state) };
            return { ...others, ...packed };
        }
        removePlayer(id) {
            this.ask({ type: "Despawn", entities: [id] });
        }
        /** Of players' messages those of these kinds come, from here on. */
        subscribe(...kinds) {
            this.sendSubscribe({ ...this.subscribed, kinds });
        }
        /** Where players are comes in each tick, from here on: of all, or of those who are in a circle. */
        subscribePositions(within) {
            this.sendSubscribe({ ...this.withoutPositions(), positions: true, ...(within && { within }) });
        }
        unsubscribePositions() {
            this.sendSubscribe(this.withoutPositions());
        }
        /** What players ask for whose entities services move comes, from here on. */
        subscribeMoves(wanted = true) {
            this.sendSubscribe({ ...this.subscribed, moves: wanted });
        }
        withoutPositions() {
            const { positions, within, ...others } = this.subscribed;
            return others;
        }
        sendSubscribe(wanted) {
            (0, encode_js_3.encode)(wanted);
            this.subscribed = wanted;
            this.sendAtOnce(wanted);
        }
        /** Behind what waits: in the order in which it was asked for. */
        sendAtOnce(message) {
            this.flush();
            this.send(message);
        }
        /** To the players of `to`, to those whom an audience says, or to all who are in the zone. */
        say(kind, payload = new Uint8Array(), to) {
            const whom = to === undefined ? { toEverybody: true } : to instanceof Array ? { to: [...to] } : to;
            const message = { kind, payload: new Uint8Array(payload), ...whom };
            if (message.to?.length !== 0) {
                this.ask({ type: "SendMessages", messages: [message] });
            }
        }
        /** Its client goes on at `address`, with that token and what it is to carry there, up to 1 KiB. */
        sendToZone(player, address, token = "", carried = new Uint8Array()) {
            this.ask({ type: "TransferPlayer", entity: player, address, token, carried: new Uint8Array(carried) });
        }
        sendWaiting() {
            this.flush();
        }
        /** For an id: their spawn is not answered yet. */
        hasWaiting() {
            return this.changed.size > 0;
        }
        /** Sends what was asked for since. */
        flush() {
            if (this.link === undefined) {
                return;
            }
            // Nothing depends on a spawn, which has no id yet; it may need the place of who goes, whose last words go to those who see it.
            const moves = [];
            const spawns = [];
            const gone = [];
            for (const one of this.changed) {
                if (one.isToGo && (one.id !== undefined || !one.isAskedFor)) {
                    gone.push(one);
                }
                else if (!one.isAskedFor) {
                    one.isAskedFor = true;
                    spawns.push({ ...one.spawn, position: inQuanta(one.spawn.position, 1) });
                }
                else if (one.id !== undefined) {
                    moves.push(this.moveOf(one.id, one.position));
                }
                else {
                    continue; // for its id
                }
                this.changed.delete(one);
            }
            moves.sort((a, b) => a.entity - b.entity);
            this.sendLots(moves, (some) => ({ type: "MoveMany", moves: (0, packed_moves_js_3.packMoves)(some) }));
            const asked = this.asked.map(({ message }) => message);
            [this.asked, this.askedBytes] = [[], 0];
            this.sendLots(asked.flatMap((one) => one.type === "Change" ? one.entities : []), (entities) => ({ type: "Change", entities }));
            this.sendSaid(asked);
            const removed = [
                ...this.removed, ...asked.flatMap((one) => one.type === "Despawn" ? one.entities : []),
                ...gone.flatMap(({ id }) => id === undefined ? [] : [id]),
            ];
            this.removed = [];
            gone.forEach((one) => this.forget(one));
            this.sendLots(removed, (entities) => ({ type: "Despawn", entities }));
            this.sendLots(spawns, (entities) => ({ type: "Spawn", entities }));
        }
        sendSaid(asked) {
            let said = [];
            const sendThem = () => {
                this.sendLots(said, (messages) => ({ type: "SendMessages", messages }));
                said = [];
            };
            for (const one of asked) {
                if (one.type === "SendMessages") {
                    said.push(...one.messages);
                }
                else if (one.type === "TransferPlayer") {
                    sendThem();
                    this.send(one);
                }
            }
            sendThem();
        }
        /** In messages of no more items than one may have, and no more bytes. */
        sendLots(items, messageOf) {
            const sendHalved = (some) => {
                const message = (0, encode_js_3.encode)(messageOf(some));
                if (some.length > 1 && message.length - prefixBytes > this.welcome.messageBytesMax) {
                    const half = Math.ceil(some.length / 2);
                    sendHalved(some.slice(0, half));
                    sendHalved(some.slice(half));
                }
                else {
                    this.link?.sendBytes(message);
                }
            };
            for (let at = 0; at < items.length; at += encode_js_3.itemsMax) {
                sendHalved(items.slice(at, at + encode_js_3.itemsMax));
            }
        }
        moveOf(entity, position) {
            const to = inQuanta(position, this.welcome.quantumMm);
            const last = this.sentQuanta.get(entity);
            this.sentQuanta.set(entity, to);
            const from = last ?? { x: 0, y: 0, z: 0 };
            return { entity, isRelative: last !== undefined, x: to.x - from.x, y: to.y - from.y, z: to.z - from.z };
        }
        forget(one) {
            this.owned.delete(one.ref);
            this.changed.delete(one);
            this.byId.delete(one.id ?? 0);
            one.id = undefined;
            one.isGone = true;
        }
        spawned(one, id) {
            one.id = id;
            this.byId.set(id, one);
            const isKept = this.welcome.resumed && one.world?.own === id && one.world.fits(this.welcome); // a keyframe comes, which gives the difference
            if (one.spawn.watches === true && !isKept) {
                one.world = new world_js_2.World(this.welcome.quantumMm, new packed_state_js_3.Slots(this.welcome.slots), id);
            }
        }
        hello() {
            return { type: "ServiceHello", protocolMajor: messages_js_3.protocolMajor, protocolMinor: messages_js_3.protocolMinor, name: this.name, admits: this.options.admits ?? false };
        }
        onWelcome(welcome) {
            const ids = new Map(welcome.entities.map(({ ref, entity }) => [ref, entity]));
            // Those that are no more here were despawned by a message that the server did not read.
            const unknown = welcome.entities.filter(({ ref }) => !this.owned.has(ref));
            this.removed = this.removed.concat(unknown.map(({ entity }) => entity));
            this.unlisted = new Set(this.there.values());
            this.returning.clear();
            this.byId.clear();
            this.sentQuanta.clear();
            for (const one of [...this.owned.values()]) {
                const id = ids.get(one.ref);
                if (id !== undefined) {
                    this.spawned(one, id);
                    this.changed.add(one);
                }
                else if (one.id !== undefined) {
                    this.forget(one);
                }
                else {
                    one.isAskedFor = false;
                    this.changed.add(one);
                }
            }
            this.placed = undefined;
            if (this.subscribed !== nothing) {
                this.send(this.subscribed);
            }
            this.flush();
        }
        onMessage(message) {
            switch (message.type) {
                case "Frame": {
                    const one = this.byId.get(message.watcher);
                    if (one?.world !== undefined) {
                        one.onFrame(one.world.apply(message), message);
                    }
                    break;
                }
                case "Spawned":
                    for (const { ref, entity } of message.entities) {
                        const one = this.owned.get(ref);
                        if (one !== undefined) {
                            this.spawned(one, entity);
                        }
                    }
                    break;
                case "PlayerJoined":
                    this.join(message);
                    break;
                case "PlayersListed":
                    this.endList();
                    break;
                case "PlayerAway": {
                    const player = this.player(message.entity);
                    if (!this.returning.delete(player)) {
                        player.isAway = true;
                        this.onAway(player, message.graceMs);
                    }
                    break;
                }
                case "PlayerBack": {
                    const player = Object.assign(this.player(message.entity), { isAway: false, claims: message.claims });
                    this.returning.delete(player);
                    this.onBack(player);
                    break;
                }
                case "PlayerLeft":
                    this.leaveOf(this.player(message.entity), message.reason);
                    break;
                case "PlayerMessage":
                    this.onPlayer(this.player(message.entity), message);
                    break;
                case "PlayerAsks":
                    this.onAsk(message);
                    break;
                case "MessagesLost":
                    this.onMessagesLost(message.count);
                    break;
                case "PlayerMove":
                    this.onMove(this.player(message.entity), message);
                    break;
                case "Positions":
                    this.place(message);
                    break;
                case "CommandRefused": {
                    const one = message.command === spawnCommand ? this.owned.get(message.ref) : undefined;
                    if (one !== undefined) {
                        this.forget(one);
                    }
                    this.onRefused(message);
                    break;
                }
                default:
                    throw new protocol_error_js_9.ProtocolError(`a ${message.type} to a service`);
            }
            this.flush();
        }
        join(joined) {
            const known = this.there.get(joined.entity);
            if (known === undefined) {
                const player = { ...joined, isAway: false };
                this.there.set(player.entity, player);
                this.onJoin(player);
                return;
            }
            Object.assign(known, joined);
            this.unlisted.delete(known);
            if (known.isAway) {
                this.returning.add(known);
            }
        }
        /** All who are there were announced. */
        endList() {
            this.unlisted.forEach((player) => this.leaveOf(player, messages_js_3.PlayerLeftReason.whileAway));
            for (const player of this.returning) {
                player.isAway = false;
                this.onBack(player);
            }
            this.returning.clear();
        }
        leaveOf(player, reason) {
            this.there.delete(player.entity);
            this.unlisted.delete(player);
            this.returning.delete(player);
            this.onLeave(player, reason);
        }
        place({ tick, first, players, hasMore, borderStale, ticksLost }) {
            if (this.placed?.tick !== tick) {
                this.placed = { tick, players: new Map(), borderStale, ticksLost };
            }
            let id = first;
            for (const { step, position } of players) {
                id += step;
                this.placed.players.set(id, position);
            }
            if (this.placed.players.size > playersMax) {
                throw new protocol_error_js_9.ProtocolError(`more than ${playersMax} players in one tick`);
            }
            if (!hasMore) {
                this.onPositions(this.placed);
                this.placed = undefined;
            }
        }
        player(id) {
            const player = this.there.get(id);
            if (player === undefined) {
                throw new protocol_error_js_9.ProtocolError(`player ${id} is spoken of, and is not there`);
            }
            return player;
        }
    }
    exports.Service = Service;
    function inQuanta({ x, y, z }, quantumMm) {
        const nearest = (mm) => Math.round(mm / quantumMm);
        return { x: nearest(x), y: nearest(y), z: nearest(z) };
    }
});
define("clients/js/src/index", ["require", "exports", "clients/js/src/client", "clients/js/src/decode", "clients/js/src/drawing", "clients/js/src/encode", "clients/js/src/link", "clients/js/src/message_splitter", "clients/js/src/messages", "clients/js/src/own_way", "clients/js/src/packed_moves", "clients/js/src/packed_state", "clients/js/src/protocol_error", "clients/js/src/service", "clients/js/src/session", "clients/js/src/transport", "clients/js/src/web_socket", "clients/js/src/world"], function (require, exports, client_js_1, decode_js_2, drawing_js_2, encode_js_4, link_js_2, message_splitter_js_2, messages_js_4, own_way_js_2, packed_moves_js_4, packed_state_js_4, protocol_error_js_10, service_js_1, session_js_3, transport_js_1, web_socket_js_2, world_js_3) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Session = exports.ServerError = exports.ConnectionLost = exports.encode = exports.decode = void 0;
    /** What a page or a program uses; Node's sockets are in node_socket.ts. */
    __exportStar(client_js_1, exports);
    Object.defineProperty(exports, "decode", { enumerable: true, get: function () { return decode_js_2.decode; } });
    __exportStar(drawing_js_2, exports);
    Object.defineProperty(exports, "encode", { enumerable: true, get: function () { return encode_js_4.encode; } });
    Object.defineProperty(exports, "ConnectionLost", { enumerable: true, get: function () { return link_js_2.ConnectionLost; } });
    Object.defineProperty(exports, "ServerError", { enumerable: true, get: function () { return link_js_2.ServerError; } });
    __exportStar(message_splitter_js_2, exports);
    __exportStar(messages_js_4, exports);
    __exportStar(own_way_js_2, exports);
    __exportStar(packed_moves_js_4, exports);
    __exportStar(packed_state_js_4, exports);
    __exportStar(protocol_error_js_10, exports);
    __exportStar(service_js_1, exports);
    Object.defineProperty(exports, "Session", { enumerable: true, get: function () { return session_js_3.Session; } });
    __exportStar(transport_js_1, exports);
    __exportStar(web_socket_js_2, exports);
    __exportStar(world_js_3, exports);
});
// The demo client: a player over the real protocol, by keys or by touch. Whom it draws is whom the library says it sees.
define("pages/play/play", ["require", "exports", "clients/js/src/index"], function (require, exports, index_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    /** Of those who play by this page, so that they know each other among bots. */
    const pageKind = 4077;
    const walkMmPerS = 9000;
    const runMmPerS = 27000;
    const feedLinesMax = 40;
    const ringMs = 700;
    const trailMax = 11;
    const askMs = 1000;
    const element = (id) => document.getElementById(id);
    const isOn = (id) => element(id).checked;
    const number = (value, digits = 0) => value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
    const canvas = element("map");
    /** Of each who is seen, the newest places, and when they were received: by the clock of the page. */
    const trails = new Map();
    let rings = [];
    const counted = { enters: 0, moves: 0, leaves: 0 };
    const held = new Set();
    const heading = { x: 0, y: 1 };
    let finger;
    let zone;
    let client;
    let own = { x: 0, y: 0, z: 0 };
    let tickMs = 50;
    let zoom = 1;
    let owner = "";
    let ghosts = "";
    let roundTrip = "";
    let steppedMs = 0;
    // Life
    function say(state, text) {
        element("state").dataset.state = state;
        element("state").textContent = text;
        element("again").hidden = state === "live" || client !== undefined;
    }
    function turnOff(why) {
        element("game").hidden = true;
        element("off").hidden = false;
        element("off").textContent = why;
        say("lost", "off");
        element("again").hidden = true;
    }
    async function readZone() {
        const answer = await fetch("/play/zone");
        if (answer.status === 401) {
            location.assign("/sign-in");
        }
        if (!answer.ok) {
            throw new Error((await answer.text()).trim());
        }
        return answer.json();
    }
    async function join() {
        try {
            zone = await readZone();
        }
        catch (error) {
            return say("lost", `the server does not answer: ${error.message}`);
        }
        if (zone.off !== "") {
            return turnOff(zone.off);
        }
        const { address, port, tls } = zone.websocket;
        const host = ["0.0.0.0", "::"].includes(address) ? location.hostname : address.includes(":") ? `[${address}]` : address;
        const player = new index_js_1.Client((0, index_js_1.webSocket)(`${tls ? "wss" : "ws"}://${host}:${port}/`), { kind: pageKind });
        player.onFrame = take;
        player.onCorrection = ({ position }) => {
            own = position;
        };
        player.onNotice = (text, stopsInMs) => {
            const deadline = stopsInMs > 0 ? ` (the server stops in ${Math.ceil(stopsInMs / 1000)} s)` : "";
            addLine("notice", "", "notice", text + deadline);
        };
        player.onLost = () => say("lost", "connection lost, coming back");
        player.onResumed = () => say("live", "playing");
        player.onClosed = (why) => end(why);
        client = player;
        forget();
        try {
            const welcome = await player.connect();
            own = player.position;
            tickMs = 1000 / welcome.tickRateHz;
            setTimeout(step, tickMs);
            say("live", "playing");
        }
        catch (error) {
            end(error);
        }
    }
    function end(why) {
        client = undefined;
        say("lost", why === undefined ? "left" : `not playing: ${why.message}`);
    }
    function forget() {
        trails.clear();
        rings = [];
        element("feed").replaceChildren();
    }
    // Frames
    function take(changes) {
        const nowMs = performance.now();
        for (const { entity, reason } of changes.left) {
            trails.delete(entity.id);
            rings.push({ position: entity.position, isEnter: false, atMs: nowMs });
            addLine("leave", entity.id, "leave", reason === undefined ? "" : reasons[reason]);
        }
        for (const seen of changes.entered) {
            trails.set(seen.id, [{ at: seen.position, receivedMs: nowMs }]);
            rings.push({ position: seen.position, isEnter: true, atMs: nowMs });
            addLine("enter", seen.id, "enter", seen.kind === pageKind ? "a player, too" : "");
        }
        for (const seen of changes.moved) {
            trails.set(seen.id, [...(trails.get(seen.id) ?? []), { at: seen.position, receivedMs: nowMs }].slice(-trailMax));
        }
        counted.enters += changes.entered.length;
        counted.moves += changes.moved.length;
        counted.leaves += changes.left.length;
        if (changes.entered.length + changes.left.length > 0) {
            canvas.dataset.seen = [...trails.keys()].sort((a, b) => a - b).join();
        }
        canvas.dataset.tick = String(client?.world.tick);
        element("newest").textContent = `tick ${number(client?.world.tick ?? 0)}: ${number(changes.moved.length)} moves`;
    }
    const reasons = {
        [index_js_1.LeaveReason.outOfRange]: "out of range", [index_js_1.LeaveReason.gone]: "gone", [index_js_1.LeaveReason.hidden]: "hidden",
        [index_js_1.LeaveReason.capped]: "others are nearer",
    };
    function addLine(kind, id, what, why) {
        const line = document.createElement("li");
        line.className = kind;
        const tick = document.createElement("span");
        const word = document.createElement("b");
        const who = document.createElement("span");
        const rest = document.createElement("span");
        tick.textContent = number(client?.world.tick ?? 0);
        word.textContent = what;
        who.textContent = String(id);
        rest.textContent = why;
        line.append(tick, word, who, rest);
        const feed = element("feed");
        feed.prepend(line);
        while (feed.childElementCount > feedLinesMax) {
            feed.lastElementChild?.remove();
        }
    }
    // Steering
    const directions = {
        arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, 1], arrowdown: [0, -1], a: [-1, 0], d: [1, 0], w: [0, 1], s: [0, -1],
    };
    /** Where to, in parts of the walking speed. */
    function wish() {
        if (finger !== undefined) {
            const [dx, dy] = [finger.x - canvas.clientWidth / 2, canvas.clientHeight / 2 - finger.y];
            const far = Math.hypot(dx, dy);
            const speed = far < 12 ? 0 : far < 140 ? 1 : runMmPerS / walkMmPerS;
            return far === 0 ? { x: 0, y: 0 } : { x: (dx / far) * speed, y: (dy / far) * speed };
        }
        let [x, y] = [0, 0];
        for (const key of held) {
            x += directions[key]?.[0] ?? 0;
            y += directions[key]?.[1] ?? 0;
        }
        const length = Math.hypot(x, y) || 1;
        const speed = held.has("shift") ? runMmPerS / walkMmPerS : 1;
        return { x: (x / length) * speed, y: (y / length) * speed };
    }
    function advance(nowMs) {
        const seconds = Math.min((nowMs - steppedMs) / 1000, 0.2);
        steppedMs = nowMs;
        const to = wish();
        if (client === undefined || (to.x === 0 && to.y === 0)) {
            return;
        }
        const { worldMin, worldMax } = client.welcome;
        const inside = (value, min, max) => Math.min(Math.max(value, min), max);
        Object.assign(heading, to);
        own = {
            x: inside(own.x + to.x * walkMmPerS * seconds, worldMin.x, worldMax.x),
            y: inside(own.y + to.y * walkMmPerS * seconds, worldMin.y, worldMax.y),
            z: own.z,
        };
    }
    /** Once a tick: where the entity is now, if that is elsewhere. */
    function step() {
        if (client === undefined) {
            return;
        }
        setTimeout(step, tickMs);
        advance(performance.now());
        const at = { x: Math.round(own.x), y: Math.round(own.y), z: own.z };
        if (at.x !== client.position.x || at.y !== client.position.y) {
            client.move(at);
        }
    }
    const switches = { b: "show-borders", i: "show-ids", t: "show-trails" };
    addEventListener("keydown", (event) => {
        const key = event.key.toLowerCase();
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (key in directions) {
            event.preventDefault();
        }
        if (key in directions || key === "shift") {
            held.add(key);
        }
        else if (key === "+" || key === "=") {
            zoomBy(1.25);
        }
        else if (key === "-") {
            zoomBy(0.8);
        }
        else if (switches[key] !== undefined && !event.repeat) {
            element(switches[key]).click();
        }
    });
    addEventListener("keyup", (event) => held.delete(event.key.toLowerCase()));
    addEventListener("blur", () => held.clear());
    const point = (event) => {
        const box = canvas.getBoundingClientRect();
        finger = { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        point(event);
    });
    canvas.addEventListener("pointermove", (event) => finger && point(event));
    for (const name of ["pointerup", "pointercancel"]) {
        canvas.addEventListener(name, () => {
            finger = undefined;
        });
    }
    canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        zoomBy(Math.exp(-event.deltaY * 0.0016));
    }, { passive: false });
    function zoomBy(factor) {
        zoom = Math.min(Math.max(zoom * factor, 0.25), 8);
    }
    element("zoom-in").addEventListener("click", () => zoomBy(1.25));
    element("zoom-out").addEventListener("click", () => zoomBy(0.8));
    element("again").addEventListener("click", () => void join());
    // Drawing
    function frame(nowMs) {
        requestAnimationFrame(frame); // first: a fault in one frame ends no other
        const ratio = devicePixelRatio || 1;
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        if (client !== undefined && element("state").dataset.state === "live") {
            advance(performance.now());
            drawWorld(context, width, height, nowMs);
        }
    }
    function drawWorld(context, width, height, nowMs) {
        const style = getComputedStyle(document.documentElement);
        const color = (name) => style.getPropertyValue(name).trim();
        const { welcome, world, drawing } = client;
        const { view } = welcome;
        const reachMm = Math.max(view.leaveRadiusMm, view.leaveHalfYMm, 5000);
        const pxPerMm = (Math.min(width, height) / 2 / (reachMm * 1.12)) * zoom;
        // Others as they were two frames ago, so that each is on its way to a newer place.
        const drawn = [...world].map((seen) => ({ seen, at: drawing.position(seen.id, nowMs) ?? seen.position }));
        const place = ({ x, y }) => [width / 2 + (x - own.x) * pxPerMm, height / 2 - (y - own.y) * pxPerMm];
        const box = (minX, minY, maxX, maxY) => {
            const [left, top] = place({ x: minX, y: maxY });
            return [left, top, (maxX - minX) * pxPerMm, (maxY - minY) * pxPerMm];
        };
        const land = box(welcome.worldMin.x, welcome.worldMin.y, welcome.worldMax.x, welcome.worldMax.y);
        context.fillStyle = color("--land");
        context.fillRect(...land);
        drawGrid(context, land, color("--line"), pxPerMm, width, height);
        if (isOn("show-borders")) {
            drawShards(context, box, color);
        }
        drawView(context, view, pxPerMm, width, height, color);
        if (isOn("show-borders")) {
            nameShards(context, box, color, width, height);
        }
        if (isOn("show-trails")) {
            context.strokeStyle = color("--sight");
            context.globalAlpha = 0.55;
            context.lineWidth = 2;
            context.beginPath();
            for (const { seen, at: newest } of drawn) {
                context.moveTo(...place(newest));
                // What is drawn is a little old: where it has not come yet is no part of its trail.
                const passed = trails.get(seen.id)?.filter(({ receivedMs }) => receivedMs <= nowMs - drawing.delayMs) ?? [];
                passed.reverse().forEach(({ at }) => context.lineTo(...place(at)));
            }
            context.stroke();
            context.globalAlpha = 1;
        }
        rings = rings.filter(({ atMs }) => nowMs - atMs < ringMs);
        for (const { position, isEnter, atMs } of rings) {
            const age = Math.max(nowMs - atMs, 0) / ringMs;
            context.globalAlpha = 1 - age;
            context.strokeStyle = color(isEnter ? "--good" : "--bad");
            context.lineWidth = 2.5;
            circle(context, place(position), isEnter ? 18 - 10 * age : 5 + 13 * age);
            context.stroke();
        }
        context.globalAlpha = 1;
        context.font = "12px system-ui, sans-serif";
        context.textBaseline = "middle";
        for (const { seen, at: newest } of drawn) {
            const at = place(newest);
            const isOfPage = seen.kind === pageKind;
            context.fillStyle = color(isOfPage ? "--second" : "--accent");
            circle(context, at, isOfPage ? 8 : 5.5);
            context.fill();
            if (isOfPage || isOn("show-ids")) {
                context.fillStyle = color("--ink");
                context.fillText(isOfPage ? `player ${seen.id}` : String(seen.id), at[0] + 11, at[1]);
            }
        }
        drawSelf(context, width / 2, height / 2, color);
        canvas.dataset.drawn = String(drawn.length);
        canvas.dataset.own = String(welcome.entity);
    }
    function circle(context, [x, y], radius) {
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    /** Lines every 10 m, or further apart where they would be too close: so one sees that one moves. */
    function drawGrid(context, land, line, pxPerMm, width, height) {
        const [left, top, wide, high] = land;
        let stepMm = 10000;
        while (stepMm * pxPerMm < 24) {
            stepMm *= 5;
        }
        const stepPx = stepMm * pxPerMm;
        context.strokeStyle = line;
        context.lineWidth = 1;
        context.beginPath();
        for (let x = left + Math.ceil(Math.max(-left, 0) / stepPx) * stepPx; x <= Math.min(left + wide, width); x += stepPx) {
            context.moveTo(x, Math.max(top, 0));
            context.lineTo(x, Math.min(top + high, height));
        }
        for (let y = top + Math.ceil(Math.max(-top, 0) / stepPx) * stepPx; y <= Math.min(top + high, height); y += stepPx) {
            context.moveTo(Math.max(left, 0), y);
            context.lineTo(Math.min(left + wide, width), y);
        }
        context.stroke();
        context.strokeRect(left, top, wide, high);
    }
    function drawShards(context, box, color) {
        const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
        (zone?.shards ?? []).forEach((shard) => {
            const hue = (232 + shard.id * 137.508) % 360; // as on the map
            const area = box(shard.min_x_m * 1000, shard.min_y_m * 1000, shard.max_x_m * 1000, shard.max_y_m * 1000);
            context.fillStyle = `oklch(${isDark ? 0.76 : 0.56} ${isDark ? 0.115 : 0.145} ${hue} / 0.16)`;
            context.fillRect(...area);
            context.strokeStyle = color("--border");
            context.lineWidth = 1.5;
            context.strokeRect(...area);
        });
    }
    /** Above the veil over what is not known: half of a name would be lost in it. */
    function nameShards(context, box, color, width, height) {
        context.font = "600 12px system-ui, sans-serif";
        context.textBaseline = "middle";
        context.fillStyle = color("--ink");
        for (const shard of zone?.shards ?? []) {
            const [left, top, wide, high] = box(shard.min_x_m * 1000, shard.min_y_m * 1000, shard.max_x_m * 1000, shard.max_y_m * 1000);
            const [x, y] = [Math.max(left, 0) + 12, Math.max(top, 0) + 16];
            if (x < Math.min(left + wide, width) - 40 && y < Math.min(top + high, height) - 10) {
                context.fillText(shard.name, x, y);
            }
        }
    }
    /** Whoever comes within the line is entered, whoever goes beyond the dashes is left; what lies beyond is not known. */
    function drawView(context, view, pxPerMm, width, height, color) {
        const shape = (halfX, halfY) => {
            const path = new Path2D();
            if (view.shape === index_js_1.Shape.rectangle) {
                path.rect(width / 2 - halfX * pxPerMm, height / 2 - halfY * pxPerMm, 2 * halfX * pxPerMm, 2 * halfY * pxPerMm);
            }
            else {
                path.arc(width / 2, height / 2, halfX * pxPerMm, 0, 2 * Math.PI);
            }
            return path;
        };
        const left = shape(view.leaveRadiusMm, view.leaveHalfYMm);
        const beyond = new Path2D(left);
        beyond.rect(0, 0, width, height);
        context.fillStyle = color("--ground");
        context.globalAlpha = 0.62;
        context.fill(beyond, "evenodd");
        context.globalAlpha = 1;
        context.strokeStyle = color("--accent");
        context.lineWidth = 1.5;
        context.stroke(shape(view.radiusMm, view.halfYMm));
        context.setLineDash([5, 6]);
        context.stroke(left);
        context.setLineDash([]);
    }
    function drawSelf(context, x, y, color) {
        const angle = Math.atan2(-heading.y, heading.x);
        context.save();
        context.translate(x, y);
        context.rotate(angle);
        context.beginPath();
        context.moveTo(13, 0);
        context.lineTo(-9, 8.5);
        context.lineTo(-4.5, 0);
        context.lineTo(-9, -8.5);
        context.closePath();
        context.fillStyle = color("--second");
        context.strokeStyle = color("--land");
        context.lineWidth = 2.5;
        context.stroke();
        context.fill();
        context.restore();
    }
    // Numbers
    function showFacts() {
        if (client === undefined || canvas.dataset.own === undefined) {
            return;
        }
        const { welcome } = client;
        const metres = (mm) => number(Math.round(mm / 100) / 10 + 0, 1); // and no -0
        const facts = [
            ["Entity", String(welcome.entity)],
            ["Position", `${metres(own.x)}, ${metres(own.y)} m`],
            ["Enter at, leave beyond", `${metres(welcome.view.radiusMm)} m, ${metres(welcome.view.leaveRadiusMm)} m`],
            ["Round trip", roundTrip],
            ...(isOn("show-borders") ? [["Owned by shard", owner], ["Ghosts in", ghosts]] : []),
        ];
        element("facts").replaceChildren(...facts.flatMap(([name, value]) => {
            const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
            dt.textContent = name;
            dd.textContent = value;
            return [dt, dd];
        }));
    }
    /** Where the shards are, and which has the entity: of no use to a player, so the admin port says it, not the protocol. */
    async function askAboutShards() {
        zone = await readZone();
        const answer = await fetch(`/entity/${client?.welcome.entity}`);
        if (answer.ok) {
            const { shard, ghost_in: ghostIn } = await answer.json();
            owner = shard;
            ghosts = ghostIn.join(", ") || "no other shard";
        }
    }
    setInterval(() => {
        element("seen").textContent = number(trails.size);
        for (const name of ["enters", "moves", "leaves"]) {
            element(name).textContent = `${number(counted[name])}/s`;
            counted[name] = 0;
        }
        void client?.ping().then((ms) => {
            roundTrip = ms === undefined ? "–" : `${number(ms, 1)} ms`;
        });
        if (isOn("show-borders") && client !== undefined && canvas.dataset.own !== undefined) {
            askAboutShards().catch(() => {
                owner = "the server does not answer";
            });
        }
    }, askMs);
    setInterval(showFacts, 200);
    addEventListener("pagehide", () => void client?.leave());
    requestAnimationFrame(frame);
    void join();
});
