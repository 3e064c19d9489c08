// The echo server of Netty's user guide, with Nagle's algorithm off.

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;

public class Echo extends ChannelInboundHandlerAdapter {
  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    context.write(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.flush();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }

  public static void main(String[] args) throws InterruptedException {
    var threads = Integer.parseInt(args[2]);
    var loops = new MultiThreadIoEventLoopGroup(threads, NioIoHandler.newFactory());
    new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, 1024)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              public void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new Echo());
              }
            })
        .bind(args[0], Integer.parseInt(args[1]))
        .sync()
        .channel()
        .closeFuture()
        .sync();
  }
}
